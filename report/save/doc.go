// Package save writes values of package report to files, in the format that the ending
// of the path names, and as Parquet, which no other package writes.
//
// It is apart from report because of Go cells: what shows a value links report, and
// would otherwise link the Parquet library, which is half as large as all the rest.
package save
