// Package benchpage serves a campaign as a small page for the bench and the phone: the list of the
// person who asks, with a field for each result, the state of each task, and the upload of a sheet with
// a preview. Input stays until it is stored. It works without scripts, better with its one file of them,
// and loads nothing from outside.
//
// Who has a join link is the person that it names. The page cannot change the protocol, close a
// round, correct or delete, gives back only one's own pulls, and says nothing that depends on what others
// measured in the open round.
package benchpage
