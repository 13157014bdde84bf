#!/usr/bin/env bash
# Installs the programs that tests with real parts use, on Debian and its relatives:
# Jupyter with its suite for kernels, a browser, pandoc, and what reads PDF, LaTeX and HTML.
# What is there already is left alone, so that this costs nothing the second time.
# Without it "go test ./..." works, too: it skips what it cannot run, and says so.
set -euo pipefail

# Each line: the Debian package, and a command that succeeds when its part is there.
parts='
bc|command -v bc
chromium|command -v chromium
firefox-esr|command -v firefox-esr
jupyter-nbconvert|/usr/bin/python3 -c "import nbconvert, nbformat"
jupyter-notebook|/usr/bin/python3 -c "import notebook" && command -v jupyter-notebook
lmodern|test -e /usr/share/texmf/tex/latex/lm/lmodern.sty || kpsewhich lmodern.sty
npm|command -v npx
pandoc|command -v pandoc
parallel|command -v parallel
poppler-utils|command -v pdftotext && command -v pdfinfo
procps|command -v ps
python3-ipykernel|/usr/bin/python3 -c "import ipykernel"
python3-jupyter-client|/usr/bin/python3 -c "import jupyter_client"
python3-jupyter-kernel-test|/usr/bin/python3 -c "import jupyter_kernel_test"
python3-nbclient|/usr/bin/python3 -c "import nbclient"
strace|command -v strace
texlive-latex-recommended|command -v pdflatex && kpsewhich booktabs.sty
'
missing=()
while IFS='|' read -r package probe; do
  if [ -n "$package" ] && ! bash -c "$probe" >/dev/null 2>&1; then
    missing+=("$package")
  fi
done <<<"$parts"
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "These parts are missing, and there is no apt-get to install them: ${missing[*]}" >&2
  echo "Install what stands for them here, or run the tests without: go test ./..." >&2
  exit 1
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
  root=(sudo)
fi
echo "installing with apt-get what the tests use: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}" >"$log" 2>&1
}
if ! { "${root[@]}" apt-get update >"$log" 2>&1 && install; }; then
  cat "$log" >&2
  exit 1
fi
