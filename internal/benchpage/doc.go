// Package benchpage serves a small web page of a campaign, for use at the bench and on phones. It shows a person's list
// of measurements with a field for each result, and the state of each task. A sheet can be uploaded with a preview.
// Input remains on the page until it is stored. The page works without scripts, has one optional script, and loads
// nothing from outside.
//
// A join link identifies a person. The page cannot change the protocol, close a round, or correct or delete results. A
// person can give back only their own pulls. The page shows nothing that depends on results of other persons in the
// open round.
package benchpage
