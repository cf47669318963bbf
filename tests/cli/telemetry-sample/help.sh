#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Help goes to standard output.
telemetry-sample --help
