#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of tegrastats, of which the last has no end.
printf '%s\n%s' \
    'RAM 2467/7471MB (lfb 2x4MB) CPU [2%@729,off] GR3D_FREQ 0%@[305] cpu@47.5C VDD_IN 4462mW/4462mW' \
    'RAM 2468/7471MB (lfb 2x4MB) CPU [4%@729,off] GR3D_FREQ 9%@[612] cpu@48C VDD_IN 5000mW/4500mW' \
    >lines
telemetry-sample --tegrastats='cat lines' --no-host -z 0 -v |
    sed -n '/"kind":"sample"/s/"t_ns":[0-9]*,//p'
