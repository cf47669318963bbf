#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A pipe gives what a file gives.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id r1 --timeline --others run.wire >file
# shellcheck disable=SC2002
cat run.wire | trace-view --id r1 --timeline --others >pipe
sed 's/^  run.wire:/  -:/' file | cmp - pipe
trace-view --id r1 --timeline --others - <run.wire | cmp - pipe
trace-view --id r1 --timeline --others --no-index run.wire | cmp - file
