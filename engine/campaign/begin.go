package campaign

import (
	"context"
	"path"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// attaches reports whether a campaign begins with the measurements of its table. This needs a table with a column of
// measured rewards. Columns of expected rewards or of success counts do not count.
func (p Protocol) attaches() bool {
	return !p.Fresh && p.Problem.Long != nil && p.Problem.Long.Reward != "" && len(p.Problem.Rows) > 0
}

// tableBatch returns the measurements of the table as the batch that a run receives when the campaign attaches them.
func (p Protocol) tableBatch() engine.Batch {
	byArm := map[int][]*measured{}
	for _, r := range p.Problem.Rows {
		x := ResultRecord{Arm: r.Arm, Reward: p.Problem.Turned(r.Reward), Count: int(r.Count)}
		byArm[r.Arm] = append(byArm[r.Arm], &measured{ResultRecord: x})
	}
	return summed(p, byArm, true)
}

// Begin returns the first events of a campaign: the start, and the measurements of the problem's table if the protocol
// attaches them. table is the file of this table. If the measurements cannot be attached, Begin returns the start event
// and an error.
func Begin(ctx context.Context, p Protocol, start StartBody, table File, now time.Time) ([]Event, error) {
	events := []Event{NewEvent(KindStart, now, "", start)}
	if !p.attaches() || start.Led != "" || len(table.Content) == 0 {
		return events, nil
	}
	act := &Attach{File: table, TellOptions: TellOptions{Sheet: path.Base(table.Path), TakeGood: true, ofTable: true}}
	if err := act.Prepare(ctx, p); err != nil {
		return events, err
	}
	s := NewState()
	first := events[0]
	first.Seq = 1
	if err := s.Add([]Event{first}, p.Problem.TaskOf); err != nil {
		return events, err
	}
	done, err := act.Do(ctx, Doing{Moment: s.Under(p, now)})
	return append(events, done.Events...), err
}
