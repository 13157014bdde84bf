// Package notebook reads and writes Jupyter notebooks (nbformat 4, written as
// 4.5). It keeps what it does not know, so that a notebook that is read and
// written again loses nothing.
package notebook
