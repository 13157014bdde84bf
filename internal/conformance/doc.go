// Package conformance has only tests (and package browser for them). They test the real command with the programs that
// users have: everything runs in new processes, with the command built from this source and installed into temporary
// folders.
//
//	suite_test.go      the Jupyter project's own tests for kernels, python3-jupyter-kernel-test
//	notebooks_test.go  nbconvert executes each notebook of the repository, and nbformat validates the result
//	report_test.go     gonb-cope report: formats, parameters, failures, comparisons
//	examples_test.go   GoNB's example notebooks give the same outputs under GoNB and under this kernel
//	recorded_test.go   recorded outputs of the examples under GoNB, which run again if the outputs differ
//	pages_test.go      examples that communicate with their page: widgets and DOM
//	front_test.go      the Notebook server in a browser: run, watch, interrupt, restart
//	lab_test.go        the same in JupyterLab 4, with make test-lab
//	bench_test.go      run time of this kernel compared with GoNB
//
// A test is skipped, with a message, if a program that it needs is not installed. make conformance installs the
// programs on Debian with tools/install-test-parts.sh. With GONB_COPE_REQUIRE_ALL=1, a missing program is a failure.
// Simulations in notebooks are shortened unless GONB_COPE_WHOLE=1. GONB_COPE_RECORD=1 records the outputs of GoNB's
// examples again, for a new release of GoNB or Go.
package conformance
