#!/bin/sh
# Runs the tests that the table of internal/repo/faults.md names, each fault as often as it says.
set -u
cd "$(dirname "$0")/.."
failed=
began=$(date +%s)
names=$(grep '^|' internal/repo/faults.md | grep -oE '`[a-z][a-z0-9/-]*\.Test[A-Za-z0-9_/]+`' | tr -d '`' | sort -u)
for folder in $(echo "$names" | sed 's/\.Test.*//' | sort -u); do
	# TestScripts/store is the part store of TestScripts.
	tests=$(echo "$names" | sed -n "s|^$folder\.\(Test.*\)|^\1\$|p" | sed 's|/|$/^|' | paste -sd '|')
	GONB_COPE_FAULTS=1 go test -ldflags=-w -count 1 -timeout 30m "./$folder" -run "$tests" || failed="$failed $folder"
done
echo "$(($(date +%s) - began)) seconds"
[ -z "$failed" ] || { echo "faults found in:$failed"; exit 1; }
