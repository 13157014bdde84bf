.PHONY: help test short bench fuzz docs

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

test: ## everything that CI runs: format, vet, module files, all tests
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go mod tidy -diff
	go vet ./...
	go test ./...

short: ## the tests without long simulations
	go test -short ./...

bench: ## the benchmarks on one processor, five times (compare with benchstat)
	go test -run '^$$' -bench . -cpu 1 -count 5 -benchmem ./kernels ./dsl ./engine/... ./report

fuzz: ## fuzz the language for a minute a target
	go test ./dsl -run '^$$' -fuzz FuzzParse -fuzztime 60s
	go test ./dsl -run '^$$' -fuzz FuzzEval -fuzztime 60s
	go test ./dsl/internal/formula -run '^$$' -fuzz FuzzFormula -fuzztime 60s

docs: ## write the lists in docs/language.md anew from the catalogues
	go test ./dsl -run LanguageDocumentation -update
