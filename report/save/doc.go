// Package save writes values of package report to files. The extension of the path determines the format.
// Only this package writes Parquet.
//
// It is separate from report for the sake of Go cells. Every program that displays a value links report. If
// report also linked the Parquet library, such a program would be half as large again.
package save
