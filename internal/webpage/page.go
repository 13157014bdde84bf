// Package webpage answers the requests of the browser page: it describes a table, calls best, runs a script, and writes
// files to download. Folder web has the page and the program that forwards the requests.
//
// A Page keeps in memory the files that the user has added and the values that scripts have defined. It reads nothing from
// disk or from a network.
package webpage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/internal/bestcall"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// Page is the state of a browser page. It must not be used by several goroutines at once.
type Page struct {
	files   map[string][]byte
	parquet map[[sha256.Size]byte]converted // by the hash of the file
	tell    func(Event)
	session *dsl.Session
	ids     int    // number of IDs assigned to displays
	bound   string // definitions in the last event "bound"
	quiet   bool   // drop displays
	last    made
	kept    kept
}

// converted is a Parquet file as CSV, or the reason why it could not be converted.
type converted struct {
	csv   []byte
	fault string
}

// made is the last answer of best and its report.
type made struct {
	document report.Document
	answer   answer.Answer
}

// Event reports something to the page during a request.
type Event struct {
	Kind  string  `json:"kind"`            // "progress", "display", "notice" or "bound"
	Text  string  `json:"text,omitempty"`  // label of the step, message, or definitions of all names
	HTML  string  `json:"html,omitempty"`  // display
	Share float64 `json:"share,omitempty"` // finished part of the step, from 0 to 1
}

// Request is a request from the page.
type Request struct {
	Do     string // "describe", "best", "save", "run", "check", "complete", "forget", "begin", "resume" or "observe"
	Table  string // name of a file
	Call   Call
	Text   string // script, or sheet of results
	Rough  bool   // best answers roughly, in a fraction of the time, and proposes no measurements
	Sure   bool   // the user has confirmed results that look like typing errors
	Cursor int    // position in the script in characters
	Before string // definitions from before the program was restarted, which a script may use
	Format string // file ending for "save"
}

// Call has the arguments of best. Columns maps parameters to columns.
type Call struct {
	Columns map[string][]string
	Goal    string
	Bounded string
	Epsilon float64
	Next    int
	Overall bool
	Retry   bool
}

// Reply is the answer to a request. If Error is set, the other fields are empty.
type Reply struct {
	Error string `json:"error,omitempty"` // as HTML
	// set by describe
	Rows    int      `json:"rows,omitempty"`
	Columns []Column `json:"columns,omitempty"`
	Call    *Call    `json:"call,omitempty"`
	Doubt   string   `json:"doubt,omitempty"` // what the user should check before trusting the answer
	Wide    bool     `json:"wide,omitempty"`  // the table has one row per arm and needs no columns
	// set by best; HTML also by begin, resume and observe
	HTML    string `json:"html,omitempty"`
	Command string `json:"command,omitempty"`
	Python  string `json:"python,omitempty"`
	Script  string `json:"script,omitempty"`
	Next    bool   `json:"next,omitempty"` // measurements are proposed, so a field book can be saved
	// set by begin, resume and observe
	List *campaign.List `json:"list,omitempty"`
	Note string         `json:"note,omitempty"` // reason why the list is empty
	// set by begin, resume, observe and save
	Name string `json:"name,omitempty"`
	Data []byte `json:"-"`
	// set by check and complete
	Errors []Mark `json:"errors,omitempty"`
	From   int    `json:"from,omitempty"`
	To     int    `json:"to,omitempty"`
	Words  []Word `json:"words,omitempty"`
}

// Column describes a column of a table.
type Column struct {
	Name  string `json:"name"`
	Looks string `json:"looks"`
	Role  string `json:"role"`          // parameter to which the column belongs; "" if it is not used
	Why   string `json:"why,omitempty"` // reason why it is not used
}

// Mark is a mistake in a script with its position.
type Mark struct {
	Line    int    `json:"line"`
	From    int    `json:"from"` // in characters from the start of the script; To is exclusive
	To      int    `json:"to"`
	Message string `json:"message"`
}

// Word is a completion.
type Word struct {
	Text string `json:"text"`
	Info string `json:"info"`
}

// New returns a page without files. The argument receives the events.
func New(tell func(Event)) *Page {
	p := &Page{files: map[string][]byte{}, parquet: map[[sha256.Size]byte]converted{}, tell: tell}
	p.forget()
	return p
}

// forget deletes all names that scripts have defined.
func (p *Page) forget() {
	p.session = dsl.NewSession(p.options(func(d report.Display) { p.show(d) }))
}

// Put adds a file, or replaces the file with the same name.
func (p *Page) Put(name string, data []byte) { p.files[name] = data }

// PutParquet adds a Parquet file. The page has converted it to CSV, because the Go library for Parquet is too large for
// browsers. fault says why it could not be converted; "" if it was.
func (p *Page) PutParquet(name string, data, csv []byte, fault string) {
	p.Put(name, data)
	p.parquet[sha256.Sum256(data)] = converted{csv, fault}
}

// decode converts a workbook or a Parquet file to CSV. It returns other data unchanged.
func (p *Page) decode(a *allowance.Allowance, data []byte) ([]byte, error) {
	c, known := p.parquet[sha256.Sum256(data)]
	switch {
	case !known:
		return workbook.CSV(a, data)
	case c.fault != "":
		return nil, errors.New(c.fault)
	}
	return c.csv, a.Ask(int64(len(c.csv)))
}

// Answer answers a request. A panic becomes an error, so that the page remains usable.
func (p *Page) Answer(ctx context.Context, q Request) (r Reply) {
	defer func() {
		if fault := recover(); fault != nil {
			r = failed(fmt.Errorf("the program failed: %v. Please report this with the table or the script", fault))
		}
	}()
	var err error
	switch q.Do {
	case "describe":
		r, err = p.describe(ctx, q.Table)
	case "best":
		r, err = p.best(ctx, q)
	case "save":
		r, err = p.save(q)
	case "run":
		r, err = p.run(ctx, q)
	case "check":
		r = p.check(q.Text)
	case "complete":
		r = p.complete(q.Text, q.Cursor)
	case "forget":
		p.forget()
	case "begin":
		r, err = p.begin(ctx, q)
	case "resume":
		if err = p.resume(ctx, q.Table); err == nil {
			r, err = p.list(ctx)
		}
	case "observe":
		r, err = p.observe(ctx, q)
	default:
		err = fmt.Errorf("unknown request %q", q.Do)
	}
	if err != nil {
		return failed(err)
	}
	return r
}

func failed(err error) Reply { return Reply{Error: dsl.ErrorHTML(err)} }

// read returns the content of a file of the page.
func (p *Page) read(name string) ([]byte, error) {
	if data, known := p.files[path.Clean(name)]; known {
		return data, nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(p.files)), ", ")
	if names == "" {
		names = "none"
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("the page has no such file; its files are %s", names)}
}

// options returns the options of a session that uses the page's files. shown receives the displays.
func (p *Page) options(shown func(report.Display)) dsl.Options {
	return dsl.Options{Host: host{p}, Read: p.read, Shown: shown, Rebind: true,
		Progress: func(a dsl.Activity) {
			if a.Done == 0 && a.Share == 0 { // a statement begins
				p.tellBound()
			}
			share := a.Share
			if a.Total > 0 {
				share = (float64(a.Done) + a.Share) / float64(a.Total)
			}
			p.tell(Event{Kind: "progress", Text: a.Label, Share: min(share, 1)})
		},
		Notice: func(text string) { p.tell(Event{Kind: "notice", Text: text}) },
	}
}

// describe describes a table and proposes a call of best.
func (p *Page) describe(ctx context.Context, name string) (Reply, error) {
	d, err := problem.Describe(name, problem.LoadOptions{Read: p.read, Decode: p.decode, Unread: workbook.Unread, Context: ctx})
	if err != nil {
		return Reply{}, err
	}
	call := bestcall.New()
	if !d.Wide {
		call, _ = call.Guess(d)
	}
	r := Reply{Rows: d.Rows, Wide: d.Wide, Call: &Call{Columns: map[string][]string{}, Goal: call.Goal}}
	if !d.Wide && d.MeasuredOnce() != "" {
		r.Doubt = d.MeasuredOnce() + ". So chance is hard to separate from real differences. Check each option column: if you " +
			"cannot choose its value (a day, a plate), make it a block. If it is only a row number, leave it out."
	}
	role := map[string]string{}
	for _, c := range call.Columns {
		named := slices.DeleteFunc(slices.Clone(c.Value), func(name string) bool { return name == "COLUMN" })
		if len(named) > 0 {
			r.Call.Columns[c.Name] = named
		}
		for _, name := range named {
			if c.Name != "text" {
				role[name] = c.Name
			}
		}
	}
	for _, c := range d.Columns {
		unused, _ := lists.First(d.Unused, func(u problem.Unused) bool { return u.Name == c.Name })
		r.Columns = append(r.Columns, Column{c.Name, bestcall.Describe(c), role[c.Name], unused.Why})
	}
	return r, nil
}

// callOf converts a call of the page to a bestcall.Call.
func callOf(c Call) bestcall.Call {
	call := bestcall.New()
	call.Goal, call.Bounded, call.Epsilon, call.Next, call.Overall, call.Retry = c.Goal, c.Bounded, c.Epsilon, c.Next, c.Overall, c.Retry
	for k := range call.Columns {
		call.Columns[k].Value = c.Columns[call.Columns[k].Name]
	}
	return call
}

// best evaluates a call of best, like the command best.
func (p *Page) best(ctx context.Context, q Request) (_ Reply, err error) {
	defer try.Caught(&err)
	if q.Rough {
		q.Call.Next = 0
	}
	call, started := callOf(q.Call), time.Now()
	text := call.Script(q.Table, len(q.Call.Columns) == 0, false)
	script, errs := dsl.Parse("best", text)
	if len(errs) > 0 {
		return Reply{}, errs
	}
	var noted []string
	opt := p.options(nil)
	opt.Noted, opt.Rough = func(line string) { noted = append(noted, line) }, q.Rough
	session := dsl.NewSession(opt)
	displays := try.Of(session.Eval(ctx, script))
	a, ok := displays[len(displays)-1].Value.(answer.Answer)
	if !ok {
		return Reply{}, errors.New("best gave no answer")
	}
	if len(noted) > 0 {
		displays = append(displays, report.Display{Value: report.Notes(noted)})
	}
	for k := range displays {
		displays[k].Name, displays[k].Source = "", ""
	}
	command := call.Line(q.Table)
	p.last = made{answer: a, document: report.Document{
		Title: strings.TrimSuffix(q.Table, path.Ext(q.Table)), Displays: displays, Script: text,
		Provenance: &report.Provenance{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Script: q.Table,
			Data: session.Sources(), Command: command, Started: started, Duration: time.Since(started), Workers: 1},
	}}
	var b bytes.Buffer
	try.To(report.Sections(&b, report.Document{Displays: displays}, p.id()))
	return Reply{HTML: b.String(), Command: command, Python: python(text), Script: text,
		Next: len(a.Next) > 0}, nil
}

// python converts the script of a call to Python. The Python package has functions with the same parameters.
func python(script string) string {
	problem, best, _ := strings.Cut(script, "\nbest(p, ")
	return "import gonb_cope as cope\n\n" + strings.Replace(problem, "problem(", "cope.problem(", 1) + "\na = p.best(" +
		strings.ReplaceAll(best, "=true", "=True") + "a.table\n"
}

// save returns the last answer as a file in a format.
func (p *Page) save(q Request) (Reply, error) {
	if len(p.last.document.Displays) == 0 {
		return Reply{}, errors.New("there is no answer to save yet")
	}
	var b bytes.Buffer
	var err error
	name := p.last.document.Title
	switch q.Format {
	case "html":
		err = report.HTML(&b, p.last.document)
	case "json":
		err = report.JSON(&b, report.Document{Displays: p.last.document.Displays[:1]})
	case "csv":
		err = report.CSV(&b, p.last.answer)
	case "xlsx":
		name += "-field-book"
		err = save.Workbook(&b, report.FieldBook(p.last.answer, 1))
	default:
		err = fmt.Errorf("the page cannot save .%s", q.Format)
	}
	return Reply{Name: name + "." + q.Format, Data: b.Bytes()}, err
}

// id returns a new prefix for IDs in the page.
func (p *Page) id() string {
	p.ids++
	return fmt.Sprintf("d%d", p.ids)
}

// show sends a display of a script as an event.
func (p *Page) show(d report.Display) {
	p.tellBound()
	if p.quiet {
		return
	}
	var b bytes.Buffer
	if err := report.Sections(&b, report.Document{Displays: []report.Display{d}}, p.id()); err != nil {
		p.tell(Event{Kind: "notice", Text: err.Error()})
		return
	}
	p.tell(Event{Kind: "display", HTML: b.String()})
}

// run evaluates a script, whose displays are sent as events. If the program was restarted, run first evaluates the earlier
// definitions.
func (p *Page) run(ctx context.Context, q Request) (Reply, error) {
	if len(p.session.Names()) == 0 && q.Before != "" {
		p.quiet = true
		err := p.eval(ctx, q.Before)
		if p.quiet = false; err != nil {
			return Reply{}, err
		}
	}
	return Reply{}, p.eval(ctx, q.Text)
}

func (p *Page) eval(ctx context.Context, text string) error {
	script, errs := dsl.Parse("script", text)
	if len(errs) > 0 {
		return errs
	}
	_, err := p.session.Eval(ctx, script)
	p.tellBound()
	return err
}

// tellBound sends the definitions of all names as an event if they have changed.
func (p *Page) tellBound() {
	if p.session == nil {
		return
	}
	var all []string
	for _, name := range p.session.Names() {
		text, _ := p.session.Definition(name)
		all = append(all, text)
	}
	if text := strings.Join(all, "\n"); text != p.bound {
		p.bound = text
		p.tell(Event{Kind: "bound", Text: text})
	}
}

// check returns the mistakes of a script that can be found without running it.
func (p *Page) check(text string) Reply {
	script, errs := dsl.Parse("script", text)
	if len(errs) == 0 {
		errs = script.Check(p.options(nil))
	}
	return Reply{Errors: lists.Map(errs, func(e *dsl.Error) Mark {
		message := e.Message
		if e.Hint != "" {
			message += ". " + e.Hint
		}
		return Mark{e.Line, e.Span.From, e.Span.To, message}
	})}
}

// complete returns completions at the cursor in a script.
func (p *Page) complete(text string, cursor int) Reply {
	from, to, items := p.session.CompleteItems(text, cursor)
	return Reply{From: from, To: to, Words: lists.Map(items, func(c dsl.Completion) Word { return Word{c.Text, c.Signature} })}
}

// host is a dsl.Host that reads and writes the page's files.
type host struct{ page *Page }

// Load implements dsl.Host.
func (h host) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	opt.Decode = h.page.decode
	return problem.Load(path, k, opt)
}

// Gram implements dsl.Host.
func (h host) Gram(path string, opt problem.LoadOptions) (problem.GramFile, error) {
	opt.Decode = h.page.decode
	return problem.LoadGram(path, opt)
}

// Save implements dsl.Host. It adds the file to the page's files.
func (h host) Save(path string, v any) error {
	var b bytes.Buffer
	if err := save.Write(&b, path, v); err != nil {
		return err
	}
	h.page.Put(path, b.Bytes())
	return nil
}

// Store implements dsl.Host.
func (h host) Store(string) (dsl.Store, error) {
	return nil, errors.New("a browser keeps no store of results; leave store= out, or use gonb-cope run")
}

// Decode decodes a request from JSON.
func Decode(text string) (q Request, err error) {
	err = json.Unmarshal([]byte(text), &q)
	return q, err
}
