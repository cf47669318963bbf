#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file that is not there.
trace-serve --api-key-file key
