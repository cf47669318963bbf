#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A command that is not there, and one that says nothing.
telemetry-sample --nvidia-smi='exec ./no-such-program' -o a.tape
echo $? "$(ls)"
telemetry-sample --tegrastats='exec true' -o b.tape
echo $?
