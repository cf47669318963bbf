#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is stamped here says on which boot, by a hash and only if it may.
event='data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
for more in '' '' --no-host; do
	# shellcheck disable=SC2086,SC2059
	printf "$event" | sse-timestamp $more -z 0 --force -o out 2>/dev/null
	head -n 1 out | jq -r '.boot // "none"'
done >boots
if [ -r /proc/sys/kernel/random/boot_id ]; then
	sed -n 1p boots | grep -Ecx '[0-9a-f]{16}'
	sed -n '1,2p' boots | uniq | wc -l
	grep -cF "$(cut -c 1-8 /proc/sys/kernel/random/boot_id)" boots
else
	printf '1\n1\n0\n'
fi
sed -n 3p boots
