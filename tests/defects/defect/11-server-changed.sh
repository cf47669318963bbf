# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The server is another one after the run than before it.
name=server-changed
front --ttft 5ms --itl 1ms
model=llmtape
