// Package campaign holds what a campaign is: rounds of real measurements that an algorithm plans,
// people make over days, and report late, in part, twice or wrong. A campaign is a list of events
// that only grows. Its state is a fold of them (Fold), and what an algorithm makes of it follows
// from the state (Replay): the recorded plans are imposed, and rewards are summed in the order of
// their pulls, never in order of arrival. So the same events give the same answers on any day.
//
// An Act is what a person does. The event that it records is in the file of the act; catalogue.go lists all events. A Moment is the
// campaign at one time. Its methods are Ask (what to measure), Plan (the next round), Replay (the algorithm's state), History and Known
// (what was measured). Run.Status describes the progress; MakeForecast and Renew forecast the rest.
//
// A pull has three names. Its id is what people see. Its arm and its number in the round are what rewards are summed by. Its place on a
// plate, or its block, says what it shares with others. A pull that is handed out again has another id and another number. Numbers of arms
// are of a generation: rows that are added move the arms behind them (Growth).
//
// Rewards have the sign of the data in events, sheets and histories. Where an algorithm or a simulation works, higher is
// better (problem.Problem.Turned); engine.Steps turn the rewards that they receive.
//
// Words of the package:
//
//	event       what was recorded, never changed: Act is the request, its body is the event's content
//	fold        computes the state from the events, in their order
//	moment      the campaign after a given number of events
//	pull        one planned measurement of an arm; handed out to a person under an id
//	open round  the planned round whose results are not complete
//	given back  said of a pull that failed: it is handed out again under a new id
//	generation  numbering of the arms; it changes when arms are added (Growth)
//	plate       pulls that are measured together; a block if its effect is removed
//	chain       number and hash of the last event, to detect a list of another copy
//
// The package reads no files and keeps none: engine/campaign/folder does, and locks them.
package campaign
