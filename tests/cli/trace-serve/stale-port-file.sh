#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A failure to listen leaves no port file.
trace-serve --listen 192.0.2.1:8000 --port-file port
ls
