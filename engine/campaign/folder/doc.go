// Package folder keeps a campaign in a folder: what was asked and told is on the disk before it is
// said, and stays whatever happens to the program.
//
// campaign.db is a SQLite database of one table of events, which only grows, and of the files that
// the campaign rests on: the script and its data as they were at the start. Beside it lie copies of
// these files for people, and a cache that may be deleted. A write takes the lock, looks at the
// state, records and lets go; the lock is never held while an algorithm plans or a person thinks.
// Readers never wait.
//
// How the files become a problem is a function that Start and Open are given, so the package knows
// no script language.
package folder
