#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A cut input is refused; or, allowed, taken with a warning, its last run left
# out.
awk -v itl=1.05 -f "$FIXTURES/compare/session.awk" | sed '/"run":16,.*"at":"end"/,$d; $d' |
    sed '/"at":"end","run":16/,$d' >cut.metrics
ab-compare cut.metrics
echo $?
ab-compare --allow-truncated cut.metrics >out
echo $?
sed -n '1,2p; /^overall/,$p' out
