#!/bin/sh
# Forms the posterior of 10,000 arms from pulls of 200, beside scikit-learn in one run: CPU seconds of
# each, and how far means and standard deviations are apart. PYTHON names a Python with scikit-learn.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
times=${TIMES:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -C tools -o "$folder/posterior" ./peerposterior
for arms in ${ARMS:-1000 10000}; do
	own=$("$folder/posterior" -arms "$arms" -times "$times" -o "$folder/posterior.csv")
	echo "$arms arms: gonb-cope $own CPU seconds"
	if ! "$python" -c 'import sklearn' 2>/dev/null; then
		echo "$arms arms: scikit-learn skipped: $python has none (pip install scikit-learn, then PYTHON=...)"
		continue
	fi
	"$python" tools/peer-posterior.py "$folder/posterior.csv" "$times" |
		{ read -r peer mean sd; echo "$arms arms: scikit-learn $peer CPU seconds; largest difference of a mean $mean, of a standard deviation $sd"; }
done
