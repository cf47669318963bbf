#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Texts are cut to the width, at a character.
cp "$FIXTURES/v1/wire.zst" run.wire
trace-view --id r1 --timeline --width 60 run.wire | awk '/ms/, 0'
