// Package folder stores a campaign in a folder. Requests and results are on disk before they are acknowledged, and
// survive a crash of the program.
//
// campaign.db is a SQLite database. It has a table of events, which only grows, and the files on which the campaign is
// based: the script and its data at the start. The folder also has copies of these files for people, and a cache that may
// be deleted. A write acquires the lock, reads the state, records events and releases the lock. The lock is not held while
// an algorithm plans. Readers never wait.
//
// The folder has:
//
//	campaign.db         the events and the recorded files; beside it campaign.db-wal and campaign.db-shm while it is open
//	campaign.lock       locked during a write; names the process that holds it
//	campaign.head       number and hash of the last event, written after it
//	script.cope, data/  copies of the recorded files, which nothing reads back
//	cache/replay.gob    the algorithm's result for the last replayed state; may be deleted
//	invites.json        the people who may use the page
//
// The database is a record.Store, and engine/campaign/record does the acts: the events of an act are sealed, folded and
// committed together, or none of them. This package adds what only a folder has: copies, backups, exports, invitations.
//
// Errors are sentences for people, with the next step. With errors.Is, callers can recognise ErrExists, which Start
// returns, and the errors of acts (campaign.ErrReason, campaign.ErrGuesses).
//
// Start and Open get a Maker, which makes the protocol from the files. The package does not depend on a script language.
package folder
