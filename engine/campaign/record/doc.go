// Package record opens a campaign in a store, and does what people ask of it: lists, acts, plans, status. A Store keeps the
// events and the files to which they refer. It is a folder (engine/campaign/folder), or a Record in memory, such as that of
// the page for browsers.
//
// The main loop is Campaign.Write: it reads the events of others, computes those of an act, folds them, and appends them to
// the store, all or none. Slow work is done without the lock. Its events are recorded only if no other event was added
// meanwhile (after).
//
// A Record is also a file, which transfers a campaign between a folder and other programs. It has one event with its hash in
// each line, as JSON. The first line also contains the files: the script, its data, and added rows.
package record
