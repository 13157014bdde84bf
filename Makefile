.PHONY: help test parts short cross outdated test-lab bench faults fuzz docs licenses

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# The tests with real parts run alone: they wait for programs, and a busy machine makes
# those late.
conformance = ./internal/conformance

test: parts cross ## everything that CI runs: format, vet, module files, other systems, all tests with all parts
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go mod tidy -diff
	go vet ./...
	GONB_COPE_REQUIRE_ALL=1 go test -timeout 60m $$(go list ./... | grep -v /internal/conformance)
	GONB_COPE_REQUIRE_ALL=1 go test -timeout 60m $(conformance)

parts: ## install what the tests use besides Go (Debian: Jupyter, Chromium, LaTeX)
	@tools/install-test-parts.sh

short: ## the tests without long simulations
	go test -short ./...

# Tests need Unix, so go vet, which reads them, runs for one other Unix.
cross: ## all packages compile for Windows, macOS and arm64 (two minutes of processor time at first, then seconds)
	GOOS=windows GOARCH=amd64 go build ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=linux GOARCH=arm64 go build ./...

outdated: ## newer versions of the modules that go.mod names, for the monthly upgrade
	@go list -m -u -e -f '{{with .Update}}{{$$.Path}} {{$$.Version}} -> {{.Version}}{{end}}{{with .Error}}{{$$.Path}} {{$$.Version}}: newer versions cannot be listed{{end}}' \
		$$(go list -m -f '{{if not (or .Main .Indirect)}}{{.Path}}{{end}}' all) 2>/dev/null

# JupyterLab is not in Debian 12. A virtual environment in the cache keeps it apart.
lab_version = 4.6.6
lab = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gonb-cope/jupyterlab-$(lab_version)

test-lab: ## JupyterLab 4 in a browser (downloads it from PyPI the first time)
	@test -x $(lab)/bin/jupyter-lab || { python3 -m venv $(lab) && $(lab)/bin/pip install --quiet jupyterlab==$(lab_version); }
	GONB_COPE_REQUIRE_ALL=1 GONB_COPE_LAB=$(lab)/bin/jupyter-lab go test -count 1 -v -run 'TestJupyterLab|TestColours/lab' $(conformance) ./internal/kernelspec

bench: ## the benchmarks on one processor, five times (compare with benchstat); the kernel beside GoNB
	go test -run '^$$' -bench . -cpu 1 -count 5 -benchmem ./kernels ./dsl ./engine/... ./report
	go test -run '^$$' -bench . -count 5 $(conformance)

faults: ## the faults and attacks of docs/security.md, each as often as it says (ten minutes at most)
	tools/faults.sh

fuzztime = 60s
targets = .

fuzz: ## fuzz every target of the tree for a minute each (fuzztime=10000000x: that many executions; targets='^dsl:': some)
	tools/fuzz.sh '$(fuzztime)' '$(targets)'

docs: ## write the lists in docs/language.md from the catalogues
	go test ./dsl -run LanguageDocumentation -update

licenses: ## write the licences of all linked modules, which the binary prints
	go test ./cmd/gonb-cope -run TestLicenses -update
