// Package campaign holds what a campaign is: rounds of real measurements that an algorithm plans,
// people make over days, and report late, in part, twice or wrong. A campaign is a list of events
// that only grows. Its state is a fold of them (Fold), and what an algorithm makes of it follows
// from the state (Replay): the recorded plans are imposed, and rewards are summed in the order of
// their pulls, never in order of arrival. So the same events give the same answers on any day.
//
// An Act is an action of a person. The event that it records is in the file of the act; catalogue.go lists all events. A
// Moment is the campaign at one time. Its methods are Ask (what to measure), Plan (the next round), Replay (the
// algorithm's state), History and Known (what was measured). Run.Status describes the progress; MakeForecast and Renew
// forecast the rest.
package campaign
