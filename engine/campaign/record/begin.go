package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
)

// Begin returns the first events of a campaign, and the files that they name. start contains only revision, build and Led;
// the rest comes from the recipe and the protocol. If the measurements of the table cannot be attached, Begin returns the
// start event and an error.
func Begin(ctx context.Context, p campaign.Protocol, r question.Recipe, start campaign.StartBody, now time.Time) (events []campaign.Event,
	files []campaign.File, err error) {
	start.Name, start.Set, start.Seed, start.Problem, start.Settings, start.Forecast = p.Name, r.Set, p.Seed, p.Fingerprint(), p.Settings(),
		p.Forecast
	start.Data = nil
	for i, f := range append([]campaign.File{r.Script}, r.Data...) {
		f.SHA256 = fmt.Sprintf("%x", sha256.Sum256(f.Content)) // computed here, whatever the recipe states
		files = append(files, f)
		if i == 0 {
			start.Script = f
		} else {
			start.Data = append(start.Data, f)
		}
	}
	table, err := tableOf(ctx, start.Data, p)
	if err == nil {
		events, err = campaign.Begin(ctx, p, start, table, now)
	} else {
		events = []campaign.Event{campaign.NewEvent(campaign.KindStart, now, "", start)}
	}
	if err != nil {
		err = fmt.Errorf("the measurements of %s were not attached: %w. To record them from a sheet, use attach", table.Path, err)
	}
	return events, files, err
}

// tableOf returns the file from which the problem's table was read, as CSV text. Content is nil if the table is not among
// the recorded files.
func tableOf(ctx context.Context, recorded []campaign.File, p campaign.Protocol) (campaign.File, error) {
	if len(p.Problem.Sources) == 0 {
		return campaign.File{}, nil
	}
	table, is := lists.First(recorded, func(f campaign.File) bool { return f.SHA256 == p.Problem.Sources[0].SHA256 })
	if !is {
		return campaign.File{}, nil
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

// mostTable is the largest size of a table to attach, in bytes of text.
const mostTable = 1 << 30
