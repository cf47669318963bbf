#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file that is no key.
echo >key
trace-serve --api-key-file key
