# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The engine behind the server failed.
name=engine-failed
server --fault 503:1/5 --ttft 5ms --itl 1ms
