// Package record writes a campaign as one file, and continues it in memory: for programs without folders, such as the page for browsers,
// and to carry a campaign from there to a folder and back.
//
// The file has one event with its hash in each line, as JSON. The first line also has the files that the events name: the script, its
// data, and rows that were added.
package record
