// Package notebook reads and writes Jupyter notebooks (nbformat 4, written as 4.5). Metadata is
// kept whole, with the digits of its numbers; other fields are the format's, which allows no more.
package notebook
