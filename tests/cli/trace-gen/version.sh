#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The version, on standard output.
trace-gen --version
trace-gen -V | cmp - "$(trace-gen --version >v; echo v)"
