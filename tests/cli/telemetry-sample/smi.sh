#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of nvidia-smi become samples; a line that is none is said once and
# counted.
cat >lines <<'END'
0, NVIDIA H100 80GB HBM3, 1980, 1980, 2619, 689.42, 700.00, 62, 71, 100, 54, 71234, 81559, P0, 0x0000000000000004
1, NVIDIA H100 80GB HBM3, 345, 1980, 2619, 71.03, 700.00, 31, 40, 0, 0, 4, 81559, P0, 0x0000000000000001
Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error
NVIDIA-SMI has failed
1, NVIDIA H100 80GB HBM3, [N/A], 1980, 2619, 71.03, 700.00, 31, 40, 0, 0, 4, 81559, P8, [N/A]
END
telemetry-sample --nvidia-smi='cat lines' --no-host -z 0 |
    sed -n '/"kind":"sample"/s/"t_ns":[0-9]*,//p'
