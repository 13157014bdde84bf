// Package headless executes notebooks and scripts in a new kernel, without a front end.
//
//	Load    reads a notebook, or a script as a notebook with one cell per paragraph
//	Set     changes the values of parameters, which papermill's tags mark
//	Run     executes a notebook and returns its provenance: kernel, times, data and seeds
//	Compare lists the outputs that differ between two executions
package headless
