// Package notebook reads and writes Jupyter notebooks (nbformat 4, written as 4.5). It keeps all metadata, including
// the digits of numbers. It keeps other fields only if the format defines them.
package notebook
