package campaign

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
)

// attaches reports whether a campaign begins with the measurements of its table: of a table with a column of measured
// rewards. Expected rewards of other tables do not count, nor do counts of successes.
func (p Protocol) attaches() bool {
	return !p.Fresh && p.Problem.Long != nil && p.Problem.Long.Reward != "" && len(p.Problem.Rows) > 0
}

// tableBatch returns the measurements of the table in the form that a run receives when the campaign attaches them.
func (p Protocol) tableBatch() engine.Batch {
	byArm := map[int][]*measured{}
	for _, r := range p.Problem.Rows {
		x := ResultRecord{Arm: r.Arm, Reward: p.Problem.Turned(r.Reward), Count: int(r.Count)}
		byArm[r.Arm] = append(byArm[r.Arm], &measured{ResultRecord: x})
	}
	return summed(p, byArm, true)
}

// Begin returns the first events of a campaign, and the files that they name: the start, and the measurements of the table of the problem
// where the protocol attaches them. start has what the recipe and the protocol do not state: revision, build, and who leads. An error
// says why the measurements cannot be attached; the events are the start alone then.
func Begin(ctx context.Context, p Protocol, r question.Recipe, start StartBody, now time.Time) (events []Event, files []File, err error) {
	start.Name, start.Set, start.Seed, start.Problem, start.Settings, start.Forecast = p.Name, r.Set, p.Seed, p.Fingerprint(), p.Settings(),
		p.Forecast
	start.Data = nil
	for i, f := range append([]File{r.Script}, r.Data...) {
		f.SHA256 = fmt.Sprintf("%x", sha256.Sum256(f.Content)) // not the one of the recipe
		files = append(files, f)
		if i == 0 {
			start.Script = f
		} else {
			start.Data = append(start.Data, f)
		}
	}
	events = []Event{NewEvent(KindStart, now, "", start)}
	if !p.attaches() || start.Led != "" {
		return events, files, nil
	}
	table, err := tableOf(ctx, start.Data, p)
	if err != nil || len(table.Content) == 0 {
		return events, files, notAttached(table, err)
	}
	act := &Attach{File: table, TellOptions: TellOptions{Sheet: path.Base(table.Path), TakeGood: true, ofTable: true}}
	if err := act.Prepare(ctx, p); err != nil {
		return events, files, notAttached(table, err)
	}
	s := NewState()
	first := events[0]
	first.Seq = 1
	if err := s.Add([]Event{first}, p.Problem.TaskOf); err != nil {
		return events, files, notAttached(table, err)
	}
	done, err := act.Do(ctx, Doing{Moment: s.Under(p, now)})
	return append(events, done.Events...), files, notAttached(table, err)
}

// notAttached is the error of measurements of a table that cannot be attached; nil for nil.
func notAttached(table File, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the measurements of %s were not attached: %w. To record them from a sheet, use attach", table.Path, err)
}

// tableOf returns the table that the problem was read from, as text; without content if it is not among the recorded files.
func tableOf(ctx context.Context, recorded []File, p Protocol) (File, error) {
	if len(p.Problem.Sources) == 0 {
		return File{}, nil
	}
	table, is := lists.First(recorded, func(f File) bool { return f.SHA256 == p.Problem.Sources[0].SHA256 })
	if !is {
		return File{}, nil
	}
	limit := allowance.New(memlimit.File(ctx, len(table.Content)), "the table "+table.Path, mostTable, allowance.NoLimit)
	if packed, err := gzip.NewReader(bytes.NewReader(table.Content)); err == nil {
		var out bytes.Buffer
		if _, err := io.Copy(limit.Writer(&out), packed); err != nil {
			return table, err
		}
		table.Content = out.Bytes()
	}
	text, err := workbook.CSV(limit, table.Content)
	table.Content = text
	return table, err
}

// mostTable is the largest table that is attached, in bytes of text.
const mostTable = 1 << 30
