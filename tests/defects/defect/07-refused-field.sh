# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# The body says something that the server does not take.
name=refused-field
server --max-tokens 16 --default-tokens 16
osl=32 requests=12
