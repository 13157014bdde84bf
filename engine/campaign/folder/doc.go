// Package folder keeps a campaign in a folder: requests and results are on the disk before they are acknowledged, and
// remain if the program fails.
//
// campaign.db is a SQLite database of one table of events, which only grows, and of the files that the campaign rests
// on: the script and its data at the start. Beside it lie copies of these files for people, and a cache that may be
// deleted. A write takes the lock, looks at the state, records and lets go; the lock is never held while an algorithm
// plans or a person thinks. Readers never wait.
//
// The folder has:
//
//	campaign.db         the events and the recorded files; beside it campaign.db-wal and campaign.db-shm while it is open
//	campaign.lock       held for a write, and names who holds it
//	campaign.head       number and hash of the last event, written after it
//	script.cope, data/  copies of the recorded files, which nothing reads back
//	cache/replay.gob    what the algorithm made of the last state; may be deleted
//	invites.json        who may use the page
//
// A write goes through Campaign.write in folder.go: the events of an act are sealed, folded and committed together, or
// none is. Slow work is done on a state without the lock, and recorded only if no event was added meanwhile (after in
// acts.go).
//
// Errors are sentences for people, with the next step. Callers can distinguish ErrExists, which Start returns, and the errors of
// the acts (campaign.ErrReason, campaign.ErrGuesses) by errors.Is.
//
// How the files become a problem is a function that Start and Open are given, so the package knows
// no script language.
package folder
