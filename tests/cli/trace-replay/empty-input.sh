#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
: | trace-replay --url 127.0.0.1:9
