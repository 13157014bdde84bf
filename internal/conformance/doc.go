// Package conformance has no code, only tests: it drives the real command with the programs that
// its users have. Everything runs as they would run it, in new processes, with the command built
// from this source and installed into folders that the tests remove.
//
//	suite_test.go      the Jupyter project's own suite for kernels, python3-jupyter-kernel-test
//	notebooks_test.go  nbconvert executes every notebook of the repository; nbformat judges it
//	report_test.go     gonb-cope report: formats, parameters, failures, comparisons
//	examples_test.go   GoNB's example notebooks, under GoNB and under this kernel, give the same
//	recorded_test.go   their outputs under GoNB are recorded, and run again if they differ
//	pages_test.go      those that talk with their page: widgets and DOM
//	front_test.go      the Notebook server in a browser: run, watch, interrupt, restart
//	lab_test.go        the same in JupyterLab 4, with make test-lab
//	bench_test.go      what this kernel costs beside GoNB
//
// A test whose program is missing is skipped with its name. The script
// tools/install-test-parts.sh installs them on Debian, which make conformance does; with
// GONB_COPE_REQUIRE_ALL=1 nothing may be missing. Simulations of notebooks are shortened, and
// GONB_COPE_WHOLE=1 leaves them unchanged stored; GONB_COPE_RECORD=1 records GoNB's examples
// again, for a new release of GoNB or Go.
package conformance
