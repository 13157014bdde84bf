package webpage

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// kept is the page's campaign, with its store and the file of its record.
type kept struct {
	campaign *record.Campaign
	store    *record.Record
	record   []byte
}

// person is the person whose measurements the page lists.
const person = "browser"

// campaigns returns the options of campaigns.
func (p *Page) campaigns() record.Options {
	return record.Options{Build: "page", Notice: func(text string) { p.tell(Event{Kind: "notice", Text: text}) }}
}

// begin starts a campaign for the problem of a call. Each list has as many measurements as the call proposes.
func (p *Page) begin(ctx context.Context, q Request) (_ Reply, err error) {
	defer try.Caught(&err)
	call := callOf(q.Call)
	name := strings.TrimSuffix(path.Base(q.Table), path.Ext(q.Table))
	text := call.Problem(q.Table, len(q.Call.Columns) == 0) + fmt.Sprintf("campaign = protocol(p, delta=0.05, epsilon=%s, "+
		"algorithm=\"CoBayesFC\", capacity=%d)\n", strconv.FormatFloat(call.Epsilon, 'g', -1, 64), max(call.Next, 1))
	protocol, recipe := try.Two(dsl.ReadRun(ctx, name+".cope", text, p.options(nil)))
	protocol.Name = name
	store := &record.Record{Files: map[string][]byte{}}
	c := try.Of(record.Start(ctx, recipe, protocol, dsl.MakeProtocol, p.campaigns(),
		func(events []campaign.Event, files []campaign.File) (record.Store, error) {
			return store, store.Append(ctx, events, files)
		}))
	p.kept = kept{campaign: c, store: store}
	return p.list(ctx)
}

// resume opens the campaign whose record is the file name. It does nothing if this campaign is already open.
func (p *Page) resume(ctx context.Context, name string) error {
	data, err := p.read(name)
	if err != nil || p.kept.campaign != nil && bytes.Equal(data, p.kept.record) {
		return err
	}
	r, err := record.Read(data)
	if err != nil {
		return err
	}
	c, err := record.Open(ctx, &r, dsl.MakeProtocol, p.campaigns())
	if err != nil {
		return fmt.Errorf("the campaign of %s cannot go on here: %w", name, err)
	}
	p.kept = kept{c, &r, data}
	return nil
}

// observe records a sheet of results and returns the next list. If the sheet is refused, nothing is recorded.
func (p *Page) observe(ctx context.Context, q Request) (_ Reply, err error) {
	defer try.Caught(&err)
	try.To(p.resume(ctx, q.Table))
	done := try.Of(p.kept.campaign.Do(ctx, &campaign.Tell{File: campaign.File{Content: []byte(q.Text)},
		TellOptions: campaign.TellOptions{By: person, Sheet: "page " + time.Now().UTC().Format(time.RFC3339), Sure: q.Sure}}))
	return p.list(ctx, report.Display{Value: *done.Receipt})
}

// list returns the campaign's next measurements, its state and its record. The displays in first precede the state.
func (p *Page) list(ctx context.Context, first ...report.Display) (_ Reply, err error) {
	defer try.Caught(&err)
	c := p.kept.campaign
	list := try.Of(c.Ask(ctx, campaign.Request{By: person}))
	status := try.Of(c.Status(ctx))
	var shown, kept bytes.Buffer
	try.To(report.Sections(&shown, report.Document{Displays: append(first, report.Display{Value: status})}, p.id()))
	try.To(p.kept.store.Write(&kept))
	p.kept.record = kept.Bytes()
	note := ""
	if len(list.Rows) == 0 {
		note = list.Note.String()
	}
	return Reply{HTML: shown.String(), List: &list, Note: note, Name: c.Protocol().Name + ".jsonl", Data: p.kept.record}, nil
}
