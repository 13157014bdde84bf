// Package benchpage serves a campaign as a small page for the bench and the phone: the list of the
// person who asks, with a field for each result that is stored as soon as it is sent, the state of
// each task, and the upload of a sheet with a preview. It works without scripts and loads nothing
// from outside.
//
// Who has a join link is the person that it names. The page cannot change the protocol, close a
// round, correct or delete, and shows no rewards of the open round but one's own.
package benchpage
