// Package headless executes notebooks and scripts from a fresh start, without a
// front end.
//
//	Load    a notebook, or a script as a notebook: its paragraphs are cells
//	Set     gives parameters other values, by papermill's tags, in cells of either language
//	Run     executes with a new kernel and collects how the outputs came about
//	Compare says which outputs of two executions differ
package headless
