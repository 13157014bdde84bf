// Package save writes values of package report to files. The extension of the path determines the format.
// Only this package writes Parquet.
//
// It is separate from report, because the program of every Go cell links report. With the Parquet library, such a
// program would be 50 % larger.
package save
