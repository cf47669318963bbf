#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# clients.sh DIR: install the official OpenAI clients, for the tests that want
# them, into DIR/python and DIR/node_modules.  One that is there is left alone;
# where pip or npm is missing, or cannot reach its registry, it is left out.
set -eu
dir=$1
python=openai==3.57.0
node=openai@6.49.0
mkdir -p "$dir"

has_python()
{
	PYTHONPATH=$dir/python ${PYTHON:-python3} -c 'import openai' 2>&-
}

has_node()
{
	NODE_PATH=$dir/node_modules node -e 'require("openai")' 2>&-
}

has_python || timeout 120 "${PYTHON:-python3}" -m pip install --quiet \
    --disable-pip-version-check --target "$dir/python" --upgrade "$python" ||
    echo "clients: no $python for Python" >&2
has_node || timeout 120 npm install --silent --no-audit --no-fund \
    --prefix "$dir" "$node" >"$dir/npm.log" 2>&1 ||
    echo "clients: no $node for Node" >&2
