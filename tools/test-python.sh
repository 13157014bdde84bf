#!/usr/bin/env bash
# Tests the Python package: a wheel of this platform is installed into a fresh environment without Go on
# its PATH, and all tests run there. The argument is the environment that make python-env made; without
# it only what needs no other packages is tested.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
	echo "the Python package needs Python 3.10: it is not tested"
	exit 0
fi
CGO_ENABLED=0 go build -ldflags="-s -w" -o "$folder/gonb-cope" ./cmd/gonb-cope
python3 python/stubs.py "$folder/gonb-cope" --check
if [ ! -e "$tools/done" ]; then
	GONB_COPE="$folder/gonb-cope" PYTHONPATH=python python3 -c 'import gonb_cope as c; assert c.mean([1, 2]) == 1.5; assert c.paper(case=2).fc(runs=2).runs == 2'
	echo "PyPI gives no packages: of the Python package a call and a simulation were tried, and its catalogue"
	exit 0
fi
(cd python && "$tools/bin/ruff" format --check --quiet . && "$tools/bin/ruff" check --quiet . && "$tools/bin/mypy")
go build -C tools -o "$folder/release" ./release
"$folder/release" -wheels -archives -only "$(go env GOOS)/$(go env GOARCH)" -program "$folder/gonb-cope" -page web/page -o "$folder"
(cd "$folder" && sha256sum --check --quiet SHA256SUMS)
mkdir "$folder/clean" && tar -xzf "$folder"/gonb-cope-*.tar.gz -C "$folder/clean" --strip-components 1
if unshare --map-root-user true 2> /dev/null; then # nothing is there but the archive
	env -i "$(command -v unshare)" --map-root-user "$(command -v chroot)" "$folder/clean" /gonb-cope version > /dev/null
fi
env -i "$folder/clean/gonb-cope" version > /dev/null
python3 -m venv --without-pip "$folder/fresh"
"$tools/bin/pip" --python "$folder/fresh/bin/python" install --quiet --no-index "$folder"/gonb_cope-*.whl
packages=$("$folder/fresh/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$tools/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$packages/tools.pth"
root=$PWD
cd python/tests
env -u GONB_COPE -u PYTHONPATH PATH="$folder/fresh/bin:/usr/bin:/bin" "$folder/fresh/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$root/python" .
