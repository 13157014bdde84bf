// Package record writes a campaign as one file, and continues it in memory. Programs without folders use it, such as the
// page for browsers, and it transfers a campaign between such a program and a folder.
//
// The file has one event with its hash in each line, as JSON. The first line also contains the files that events name: the
// script, its data, and added rows.
package record
