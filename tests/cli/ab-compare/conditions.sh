#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What must be equal is, or is declared: what the user says of a run, what the
# server says of itself, who sent and how.
session="$FIXTURES/compare/session.awk"

# arm NAME VAR=VALUE...: its runs, a file.
arm()
{
	name=$1
	shift
	for v; do set -- "$@" -v "$v"; shift; done
	awk "$@" -v only="$name" -f "$session" >"$name"
}

# told OPTION...: what is refused.
told()
{
	ab-compare "$@" --a A --b B >out
	echo "$?: $(grep -c ^refused out) refused"
	grep ^refused out
}

arm A meta='{"server_cmd":"serve m","revision":"1f"}'
arm B meta='{"server_cmd":"serve m --fp8","revision":"1f","note":"x"}'
told
told --vary server_cmd
told --vary note,server_cmd

long=$(printf '%0200d' 0)
arm A meta="{\"server_cmd\":\"$long a\"}"
arm B meta="{\"server_cmd\":\"$long b\"}"
told

arm A version=0.1.0 sender=one
arm B version=0.2.0 sender=two
told
told --vary tool,host

models() { printf '"models":{"status":200,"body":"{\\\\"data\\\\":[{\\\\"id\\\\":\\\\"m\\\\",\\\\"max_model_len\\\\":%d}]}"},"connections":"%s","threads":1' "$1" "$2"; }
arm A more="$(models 4096 pooled)"
arm B more="$(models 8192 never)"
told
told --vary limits,client
# That one server is not known says nothing.
arm B more='"connections":"pooled","threads":1'
told --vary client

# A name that is that of nothing.
ab-compare --vary colour --a A --b B
echo $?
