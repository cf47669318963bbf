#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A key that is not there.
trace-serve --api-key-env TRACE_SERVE_NO_SUCH
