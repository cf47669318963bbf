#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# deps.sh PACKAGE...: install those of Debian's packages that are missing.
set -eu
missing=
for p in "$@"; do
	s=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) || s=none
	[ "$s" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
as=
[ "$(id -u)" -eq 0 ] || as=sudo
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
{
	$as apt-get update -qq
	$as apt-get install -y -qq --no-install-recommends $missing
} </dev/null
