#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing to sample, and too often.
telemetry-sample
echo $?
telemetry-sample --nvidia-smi --every 1ms
echo $?
