#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Exchanges are in wire and events streams only.
trace-view --id r1 --timeline "$FIXTURES/v1/trace.zst" 2>&1 |
    sed 's|[^ ]*/v1|v1|'
trace-view --id r1 --timeline "$FIXTURES/v1/metrics.zst" 2>/dev/null
