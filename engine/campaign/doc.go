// Package campaign models a campaign: rounds of real measurements that an algorithm plans. People make the measurements over
// days, and report them late, in part, twice or wrong. A campaign is a list of events that only grows. Fold computes its state
// from the events. Replay computes the decisions of the algorithm from the state. It uses the recorded plans, and sums rewards in
// the order of their pulls, never in order of arrival. The same events therefore always give the same answers.
//
// An Act is an action of a person. The event that it records is in the file of the act; catalogue.go lists all events. A
// Moment is the campaign at one time. Its methods are Ask (what to measure), Plan (the next round), Replay (the
// algorithm's state), History and Known (what was measured). Run.Status describes the progress; MakeForecast and Renew
// forecast the rest.
//
// A pull is identified in three ways. People use its id. Its arm and its number in the round determine the order in which rewards
// are summed. Its position on a plate, or its block, states which pulls share its conditions. A pull that is handed out again has
// another id and another number. Numbers of arms belong to a generation: added arms change the numbers of arms after them
// (Growth).
//
// Rewards have the sign of the data in events, sheets and histories. In algorithms and simulations, higher is better
// (problem.Problem.Turned); engine.Steps converts the rewards that it receives.
//
// Words of the package:
//
//	event       a recorded fact, never changed: an Act is the request, and the body is the event's content
//	fold        computes the state from the events, in their order
//	moment      the campaign after a given number of events
//	pull        one planned measurement of an arm; handed out to a person under an id
//	open round  the planned round that still accepts results
//	given back  said of a pull that failed: it is handed out again under a new id
//	generation  numbering of the arms; it changes when arms are added (Growth)
//	plate       pulls that are measured together; a block if its effect is removed
//	chain       number and hash of the last event, to detect a list of another copy
//
// The package accesses no files; engine/campaign/folder stores and locks them.
package campaign
