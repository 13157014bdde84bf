package rpc

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// Protocol is the version of the protocol. It increases when a change requires other programs to change.
const Protocol = 1

// requests limits the number of unfinished requests, including those that wait. cancel is also a request, so it must not
// wait for a call to finish.
const requests = 1 << 12

// server serves one program. An inner server (see lend) shares most fields with it.
type server struct {
	version string
	rpc     *jrpc2.Server
	channel *channel
	tables  *tables
	asker   *asker

	mu      lock // held while the session is used
	session *dsl.Session
	names   *atomic.Int64          // number of names and IDs assigned so far
	inner   atomic.Pointer[server] // serves the program's requests while the program computes a function for this server

	released int // number of values released since dropTables last searched
	looked   int // number of values at that search

	functions map[string]int // name in the session → number of the program's function

	request string              // ID of the request that uses the session
	columns map[string][]string // columns of the program's tables, used during completion
	running bool                // whether a script runs, whose displays are sent immediately
	teller  teller
}

// Serve answers requests until the input ends. version is the version of this program.
func Serve(in io.Reader, out io.WriteCloser, version string) error {
	s := &server{version: version, mu: make(lock, 1), names: &atomic.Int64{}, channel: &channel{
		in: textproto.NewReader(bufio.NewReaderSize(in, 1<<16)), out: out, blocks: map[int][]byte{}}}
	s.tables = &tables{byPath: map[string]*problem.Frame{}, bySum: map[string]string{}}
	s.asker, s.functions = &asker{server: s}, map[string]int{}
	s.channel.unreadable = s.asker.unreadable
	s.teller.server = s
	s.session = dsl.NewSession(s.options())
	handlers := handler.Map{
		"hello":     handler.New(s.hello),
		"catalogue": handler.New(func(context.Context) (Catalogue, error) { return Contents(), nil }),
		"folder":    handler.New(guarded(s, (*server).folder)),
		"table":     handler.New(s.table),
		"call":      handler.New(guarded(s, (*server).call)),
		"run":       handler.New(guarded(s, (*server).run)),
		"value":     handler.New(guarded(s, (*server).value)),
		"release":   handler.New(guarded(s, (*server).release)),
		"complete":  handler.New(s.complete),
		"inspect":   handler.New(s.inspect),
		"cancel":    handler.New(s.cancel),
	}
	for method, handle := range handlers {
		handlers[method] = func(ctx context.Context, r *jrpc2.Request) (any, error) {
			defer s.channel.drop(r.ID())
			return handle(ctx, r)
		}
	}
	s.rpc = jrpc2.NewServer(handlers, &jrpc2.ServerOptions{AllowPush: true, Concurrency: requests})
	return s.rpc.Start(s.channel).Wait()
}

// options returns the options of the session.
func (s *server) options() dsl.Options {
	return dsl.Options{
		Campaigns: folder.Keeper(dsl.MakeProtocol),
		Rebind:    true, Giver: "Python", Tables: s.tables.read,
		Shown:    s.shown,
		Columns:  func(name string) []string { return s.columns[name] },
		Clear:    func() { s.notify("clear", struct{}{}) },
		Progress: s.teller.tell,
		Notice:   func(text string) { s.notify("notice", notice{s.request, text}) },
	}
}

// eval evaluates a script. While the program computes a function for it, further requests of the program use a branch of
// the session. takeOver later adds their names to the session.
func (s *server) eval(ctx context.Context, script *dsl.Script) error {
	if err := s.refuse(script.Reads()...); err != nil {
		return err
	}
	s.lend()
	_, err := s.session.Eval(ctx, script)
	return err
}

// lend creates the inner server. It serves the program's requests while the program computes a function for this server.
func (s *server) lend() {
	if len(s.functions) == 0 {
		return
	}
	s.takeOver()
	in := &server{version: s.version, rpc: s.rpc, channel: s.channel, tables: s.tables, asker: s.asker, functions: s.functions,
		names: s.names, mu: make(lock, 1)}
	in.teller.server = in
	in.session = s.session.Branch(in.options())
	s.inner.Store(in)
}

// takeOver adds the names that the inner server's requests defined to the session, and removes the inner server.
func (s *server) takeOver() {
	if in := s.inner.Swap(nil); in != nil {
		in.mu.Lock()
		s.session.Join(in.session)
		in.mu.Unlock()
	}
}

// lockFree locks and returns the server that can serve a request now. While the program computes a function, this is the
// innermost server.
func (s *server) lockFree(ctx context.Context) (*server, error) {
	for !s.mu.TryLock() {
		in := s.inner.Load()
		if in == nil || !s.asker.waits() {
			return s, s.mu.LockWithin(ctx)
		}
		s = in
	}
	return s, nil
}

// refuse returns an error if one of the names depends on a kernel or class of the program whose answer is pending.
// Computing the name would wait for this answer and never end.
func (s *server) refuse(names ...string) error {
	for _, name := range s.session.Below(names...) {
		if number, is := s.functions[name]; is && s.asker.needs(number) {
			return fmt.Errorf("%s calls gonb_cope with a value that is made with %[1]s: its own result is not known yet. "+
				"Use another value in it, or make this call before", strings.TrimSuffix(name, fmt.Sprintf("_%d", number)))
		}
	}
	return nil
}

// lock is a mutex whose Lock can be cancelled by a context (LockWithin).
type lock chan struct{}

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }

func (l lock) TryLock() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}

// LockWithin locks, or returns the context's error if the context ends first.
func (l lock) LockWithin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// guarded returns a handler that locks the session during a request. A panic becomes the error of the request.
func guarded[P, R any](outermost *server, handle func(*server, context.Context, P) (R, error)) func(context.Context, P) (R, error) {
	return func(ctx context.Context, p P) (out R, err error) {
		s, err := outermost.lockFree(ctx)
		if err != nil { // cancelled before it began
			return out, failed(ctx, err, nil)
		}
		defer s.mu.Unlock()
		if s == outermost {
			defer s.channel.drop(answers)
		}
		s.request = jrpc2.InboundRequest(ctx).ID()
		end := s.asker.begin(ctx, s.request)
		defer func() {
			s.takeOver()
			fault := end()
			s.teller.end()
			s.running = false
			if r := recover(); r != nil {
				err = wrong(codeDefect, fmt.Errorf("defect in gonb-cope (please report it): %v", r))
				fmt.Fprintf(os.Stderr, "gonb-cope: defect: %v\n%s", r, debug.Stack())
			} else if err != nil && fault != nil && ctx.Err() == nil {
				err = wrong(codeFunction, fault)
			}
		}()
		return handle(s, ctx, p)
	}
}

// notice is the content of a notice notification.
type notice struct {
	Request string `json:"request"`
	Text    string `json:"text"`
}

// notify sends a notification. It ignores errors, because the program may have ended.
func (s *server) notify(method string, content any) {
	_ = s.rpc.Notify(context.Background(), method, content)
}

// helloParams are the parameters of the request hello.
type helloParams struct {
	Protocol int    `json:"protocol"`
	Folder   string `json:"folder"` // folder for relative paths; "" means this process's working folder
}

func (s *server) hello(_ context.Context, p helloParams) (any, error) {
	if p.Protocol != Protocol {
		return nil, wrong(codeRequest,
			fmt.Errorf("this program speaks protocol %d, not %d; install the package and the command of one version", Protocol, p.Protocol))
	}
	if p.Folder != "" {
		if err := os.Chdir(p.Folder); err != nil {
			return nil, wrong(codeRequest, err)
		}
	}
	return map[string]any{"protocol": Protocol, "version": s.version}, nil
}

// folder changes the folder for relative paths.
func (s *server) folder(_ context.Context, p struct {
	Path string `json:"path"`
}) (bool, error) {
	if err := os.Chdir(p.Path); err != nil {
		return false, wrong(codeRequest, err)
	}
	return true, nil
}

// tableParams are the parameters of the request table: either columns or the number of a block with CSV.
type tableParams struct {
	Name    string   `json:"name"`
	Rows    int      `json:"rows"`
	Columns []column `json:"columns"`
	CSV     int      `json:"csv"`
}

// table stores a table and returns the path by which scripts and calls read it.
func (s *server) table(_ context.Context, p tableParams) (string, error) {
	if !isName(p.Name) {
		return "", wrong(codeRequest, fmt.Errorf("the table needs a name of letters, digits and _, got %q", p.Name))
	}
	f := &problem.Frame{}
	var err error
	if p.CSV != 0 {
		if f.Text, err = s.channel.take(p.CSV); err == nil {
			f.Hash = fmt.Sprintf("%x", sha256.Sum256(f.Text))
		}
	} else {
		f, err = framed(p.Rows, p.Columns, s.channel.take)
	}
	if err != nil {
		return "", wrong(codeRequest, err)
	}
	return s.tables.add(p.Name, f), nil
}

// call calls a function or an operator and defines a new name for its value.
func (s *server) call(ctx context.Context, p callParams) (*described, error) {
	name := s.newName(p.Function)
	t, err := s.statement(name, p)
	if err != nil {
		return nil, wrong(codeRequest, err)
	}
	text := t.text.String()
	if fn := functionNamed(p.Function); fn != nil && fn.Result == dsl.Nothing {
		// positions of arguments are counted with the name
		text = strings.Repeat(" ", len(name)+3) + strings.TrimPrefix(text, name+" = ")
	}
	script, errs := dsl.Parse(p.Function, text)
	if len(errs) > 0 {
		return nil, failed(ctx, errs, t)
	}
	err = s.eval(ctx, script)
	d := s.describe(name)
	if err != nil {
		return nil, failed(ctx, err, t, d)
	}
	d = cmp.Or(d, &described{Type: string(dsl.Nothing)})
	if d.Value != nil { // the answer contains the value itself
		s.session.Forget(name)
	}
	return d, nil
}

func (s *server) newName(function string) string {
	if !isName(function) {
		function = "value"
	}
	for {
		name := fmt.Sprintf("%s_%d", function, s.names.Add(1))
		if _, _, bound := s.session.Value(name); !bound {
			return name
		}
	}
}

// runParams are the parameters of the request run. Bind defines names before the script is evaluated.
type runParams struct {
	File   string                     `json:"file"`
	Script string                     `json:"script"`
	Bind   map[string]json.RawMessage `json:"bind"`
	// names that a script can no longer use → why, such as "is None in Python now"
	Gone map[string]string `json:"gone"`
}

// ran is the answer to run: the values that the script defined, in order.
type ran struct {
	Bound []*described `json:"bound"`
}

// run evaluates a script. Its displays are sent immediately.
func (s *server) run(ctx context.Context, p runParams) (*ran, error) {
	script, errs := dsl.Parse(p.File, p.Script)
	if len(errs) > 0 {
		return nil, failed(ctx, errs, nil)
	}
	if err := s.bind(ctx, p.Bind); err != nil {
		return nil, err
	}
	s.session.Withdraw(p.Gone)
	defer s.session.Withdraw(nil)
	s.running = true
	err := s.eval(ctx, script)
	out := &ran{Bound: []*described{}}
	for _, name := range script.Names() {
		if d := s.describe(name); d != nil {
			out.Bound = append(out.Bound, d)
		}
	}
	if err != nil {
		return nil, failed(ctx, err, nil, out.Bound...)
	}
	return out, nil
}

// bind defines names like statements of a script. Unchanged definitions are not evaluated again.
func (s *server) bind(ctx context.Context, names map[string]json.RawMessage) error {
	for name, raw := range names {
		if !isName(name) || functionNamed(name) != nil {
			return wrong(codeRequest, fmt.Errorf("%q cannot be bound: it is not a name, or one of the language", name))
		}
		text, err := s.literal(raw, nil)
		if err != nil {
			return wrong(codeRequest, fmt.Errorf("%s: %w", name, err))
		}
		if text == name {
			continue
		}
		text = name + " = " + text
		if old, bound := s.session.Definition(name); bound && old == text {
			continue
		}
		script, errs := dsl.Parse(name, text)
		if len(errs) > 0 {
			return failed(ctx, errs, nil)
		}
		if err := s.eval(ctx, script); err != nil {
			return failed(ctx, err, nil)
		}
	}
	return nil
}

// released lists the program's functions that will not be called any more.
type released struct {
	Functions []int `json:"functions"`
}

// release deletes values that the program no longer uses, and then unused functions and tables.
func (s *server) release(_ context.Context, p struct {
	Names []string `json:"names"`
}) (released, error) {
	s.session.Forget(p.Names...)
	gone := released{s.forgetFunctions()}
	s.dropTables(len(p.Names))
	return gone, nil
}

// dropTables deletes tables that no definition uses; values is the number of values just released. A search reads all
// definitions, so dropTables waits until a sixteenth of the values has been released.
func (s *server) dropTables(values int) {
	s.released += values
	if s.tables.empty() || 16*s.released < s.looked {
		return
	}
	names := s.session.Names()
	s.released, s.looked = 0, len(names)
	var used strings.Builder
	for _, name := range names {
		text, _ := s.session.Definition(name)
		used.WriteString(text + "\n")
	}
	s.tables.drop(func(path string) bool { return !strings.Contains(used.String(), path) })
}

// cancel interrupts a request. The request is still answered.
func (s *server) cancel(_ context.Context, p struct {
	ID json.RawMessage `json:"id"`
}) error {
	s.rpc.CancelRequest(string(p.ID))
	return nil
}

// cursorParams are a text and the position of a cursor in it, in runes.
type cursorParams struct {
	Text   string `json:"text"`
	Cursor int    `json:"cursor"`

	Columns map[string][]string `json:"columns"` // name of a table in the text → its columns
}

// complete returns completions at the cursor. It returns none while a request uses the session.
func (s *server) complete(_ context.Context, p cursorParams) (any, error) {
	if !s.mu.TryLock() {
		return map[string]any{"from": p.Cursor, "to": p.Cursor, "items": []any{}}, nil
	}
	defer s.mu.Unlock()
	s.columns = p.Columns
	from, to, items := s.session.CompleteItems(p.Text, p.Cursor)
	list := lists.Map(items, func(item dsl.Completion) map[string]string {
		return map[string]string{"text": item.Text, "type": string(item.Type), "signature": item.Signature}
	})
	return map[string]any{"from": from, "to": to, "items": list}, nil
}

// inspect returns help on the word at the cursor. It returns nothing while a request uses the session.
func (s *server) inspect(_ context.Context, p cursorParams) (any, error) {
	if !s.mu.TryLock() {
		return map[string]string{}, nil
	}
	defer s.mu.Unlock()
	found := s.session.Inspect(p.Text, p.Cursor)
	return map[string]string{"text": found.Text, "html": found.HTML}, nil
}

// shown sends a display of a running script as a notification.
func (s *server) shown(d report.Display) {
	if !s.running {
		return
	}
	bundle, err := report.Bundle(d, fmt.Sprintf("r%d-%d", os.Getpid(), s.names.Add(1)))
	if err != nil {
		s.notify("notice", notice{s.request, "cannot display this value: " + err.Error()})
		return
	}
	s.notify("display", map[string]any{"request": s.request, "name": d.Name, "type": report.TypeName(d.Value), "bundle": bundle})
}
