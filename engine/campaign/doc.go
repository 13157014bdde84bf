// Package campaign holds what a campaign is: rounds of real measurements that an algorithm plans,
// people make over days, and report late, in part, twice or wrong. A campaign is a list of events
// that only grows. Its state is a fold of them (Fold), and what an algorithm makes of it follows
// from the state (Replay): the recorded plans are imposed, and rewards are summed in the order of
// their pulls, never in order of arrival. So the same events give the same answers on any day.
//
// The package reads no files and keeps none: engine/campaign/folder does, and locks them.
package campaign
