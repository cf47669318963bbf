#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One source of the key.
trace-serve --api-key-env A --api-key-file b
