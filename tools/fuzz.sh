#!/bin/sh
# Fuzzes the targets of the tree one after another on one worker, and fails when one of them
# finds something:
#
#	tools/fuzz.sh [TIME [PATTERN]]
#
# TIME is a duration or a number of executions (60s, 10000000x), PATTERN an extended regular
# expression over folder:target, such as '^dsl:'.
#
# Go instruments every package that a test links, and goes through all counters after each
# execution: 0.4 ms for the language, which draws figures. So only the package of the target,
# what lies beneath it and the parser of expressions are instrumented here.
set -eu
time=${1:-60s} pattern=${2:-.}
cd "$(dirname "$0")/.."
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
failed=
for target in $(grep -rEo --include='*_test.go' '^func Fuzz[[:alnum:]_]+' . | sed -E 's|^\./(.*)/[^/]*:func |\1:|' | sort | grep -E "$pattern"); do
	folder=${target%:*} name=${target#*:}
	echo "== $folder $name"
	go test -c -vet=off -o "$built/test" -gcflags="./$folder/...=-d=libfuzzer" -gcflags='github.com/expr-lang/expr/...=-d=libfuzzer' "./$folder"
	cache=$(go env GOCACHE)/fuzz/$(go list "./$folder")
	(cd "$folder" && "$built/test" -test.run '^$' -test.fuzz "^$name\$" -test.fuzzcachedir "$cache" \
		-test.fuzztime "$time" -test.fuzzminimizetime 1x -test.parallel 1) || failed="$failed $target"
done
[ -z "$failed" ] || { echo "findings:$failed"; exit 1; }
