#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A default that would be refused.
trace-serve --max-tokens 10 --default-tokens 11
