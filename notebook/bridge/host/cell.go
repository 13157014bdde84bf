package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// cell is the connection of a running Go cell. It must not be used by several goroutines at once.
type cell struct {
	host      *Host
	ledger    ledger
	evaluator bridge.Evaluator
}

// answer answers one request. A panic, which an invalid message may cause, becomes an error answer.
func (c *cell) answer(op bridge.Op, content []byte) (kind bridge.Op, answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			kind, answer = bridge.OpError, []byte(fmt.Sprintf("the kernel failed to answer: %v", p))
		}
	}()
	var err error
	switch op {
	case bridge.OpNames:
		answer, err = bridge.Pack(c.host.session.Names())
	case bridge.OpGet:
		answer, err = c.get(content)
	case bridge.OpPut:
		err = c.put(content)
	case bridge.OpFunction:
		err = c.function(content)
	case bridge.OpAct:
		answer, err = c.act(content)
	case bridge.OpShow:
		err = c.show(content)
	default:
		return c.evaluator.Answer(op, content)
	}
	kind = bridge.OpDone
	if err != nil {
		kind, answer = bridge.OpError, []byte(err.Error())
	}
	if recorded(op) {
		c.ledger.note(exchange{op, content, answer, kind})
	}
	return kind, answer
}

func (c *cell) get(content []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	var name string
	try.To(bridge.Unpack(content, &name))
	v := try.Of(c.host.session.Get(name))
	if _, own := v.(*algorithms.Entry); own {
		return nil, fmt.Errorf("%s is an algorithm of your own; it can be used in %%%%cope cells", name)
	}
	value, err := bridge.Encode(v, bridge.Functions{Number: c.ledger.number})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read by a Go cell: %w", name, err)
	}
	c.ledger.noteRead(name, v)
	return bridge.Pack(value)
}

func (c *cell) put(content []byte) error {
	var put bridge.Named
	if err := bridge.Unpack(content, &put); err != nil {
		return err
	}
	v, err := bridge.Decode(put.Value, bridge.Functions{
		Formula: func(f kernels.Formula, number uint64) (kernels.Formula, error) {
			own, known := c.ledger.formula(number)
			if !known {
				return f, fmt.Errorf("the formula %s is not from this session", f.Name)
			}
			return own, nil
		},
	})
	if err != nil {
		return fmt.Errorf("cannot define %s: %w", put.Name, err)
	}
	return c.host.session.Put(put.Name, v)
}

// function defines a name as a value with functions of the cell. It first starts the process of the function and waits
// until it reaches the Put, so that the cell shows any error.
func (c *cell) function(content []byte) error {
	var put bridge.FunctionPut
	if err := bridge.Unpack(content, &put); err != nil {
		return err
	}
	ledger, err := c.ledger.copy()
	if err != nil {
		return fmt.Errorf("cannot define %s: %w", put.Name, err)
	}
	f, err := c.host.newFunction(put, ledger)
	if err != nil {
		return fmt.Errorf("cannot define %s: %w", put.Name, err)
	}
	v, err := bridge.Decode(put.Value, bridge.Functions{Formula: f.formula, Reward: f.reward, Algorithm: f.algorithm})
	if own, is := v.(algorithms.Entry); is && err == nil {
		own.Digest, err = ledger.digest(own.Digest, put)
		v = own
	}
	if err == nil {
		_, err = f.live()
	}
	if err != nil {
		err = fmt.Errorf("cannot define %s: %w", put.Name, err)
	} else {
		err = c.host.session.Put(put.Name, v)
	}
	if err != nil {
		f.process.discard()
		return err
	}
	for _, p := range c.host.others(f.process) {
		if p.put.Name == put.Name { // the process of the previous value of this name
			p.stop()
		}
	}
	return nil
}

// act calls a function that records something in a campaign. An interrupt of the cell cancels the call.
func (c *cell) act(content []byte) ([]byte, error) {
	var act bridge.Act
	if err := json.Unmarshal(content, &act); err != nil {
		return nil, fmt.Errorf("the message cannot be decoded: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func(interrupted <-chan struct{}) {
		select {
		case <-interrupted:
			cancel()
		case <-ctx.Done():
		}
	}(c.host.interrupted())
	v, notices, err := c.host.session.Act(ctx, act.Function, act.Args)
	if err != nil {
		return nil, err
	}
	value, err := bridge.Encode(v, bridge.Functions{Number: c.ledger.number})
	if err != nil {
		return nil, fmt.Errorf("%s was done; its value cannot be read by a Go cell: %w", act.Function, err)
	}
	return bridge.Pack(bridge.Acted{Value: value, Notices: notices})
}

func (c *cell) show(content []byte) error {
	var bundle map[string]any
	if err := json.Unmarshal(content, &bundle); err != nil {
		return fmt.Errorf("the display cannot be decoded: %w", err)
	}
	return c.host.session.Display(bundle)
}

// Session is the script session that cells read and change. Several goroutines may call its methods.
type Session struct {
	Lock    sync.Locker // held during each use of the session, which is not safe for concurrent use
	Session *dsl.Session
	Display func(bundle map[string]any) error // shows representations (by media type) below the running Go cell
}

// Names lists the defined names, oldest first.
func (s *Session) Names() []bridge.Entry {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return lists.Map(s.Session.Names(), func(name string) bridge.Entry {
		_, kind, _ := s.Session.Value(name)
		return bridge.Entry{Name: name, Type: string(kind)}
	})
}

// Get returns the value of a name, like dsl.Session.Value. It returns an error for an unknown name and for a part of
// another value.
func (s *Session) Get(name string) (any, error) {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	v, kind, ok := s.Session.Value(name)
	list, _ := v.([]any)
	switch {
	case kind == dsl.Record || slices.ContainsFunc(list, isRecord):
		return nil, fmt.Errorf("%s contains parts of another value, which stay in the kernel. Read that value as a whole, for example with "+
			"session.Result", name)
	case ok:
		return v, nil
	}
	const most = 12
	known := s.Session.Names()
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("%q is not defined, and no other name is. Define it in a %%%%cope cell", name)
	case len(known) > most:
		known = append([]string{"…"}, known[len(known)-most:]...)
	}
	return nil, fmt.Errorf("%q is not defined. Defined names are %s", name, strings.Join(known, ", "))
}

// isRecord reports whether a list element is a part of a value: a struct that is not itself a value of the language.
func isRecord(v any) bool {
	if _, ok := v.(kernels.Kernel); ok || v == nil {
		return false
	}
	t := reflect.TypeOf(v)
	_, value := kinds.Of[struct{}](t)
	return t.Kind() == reflect.Struct && !value && t != reflect.TypeFor[kernels.Joint]()
}

// Put defines a name. A reward function must be a sim.RewardFunc.
func (s *Session) Put(name string, v any) error {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.Session.Put(name, v)
}

// Act calls a function that records something in a campaign.
func (s *Session) Act(ctx context.Context, function string, args map[string]any) (any, []string, error) {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.Session.Act(ctx, function, args)
}

// maxLedger limits the bytes of recorded requests and answers per cell. A cell that exceeds it cannot define functions
// afterwards.
const maxLedger = 128 << 20

// ledger records the answers to one cell. If the cell's program runs again, it gets the same answers.
type ledger struct {
	exchanges []exchange
	size      int
	formulas  []kernels.Formula // index is the number of the formula in answers
	read      []string          // names and values (as text) that the cell has read
}

type exchange struct {
	op              bridge.Op
	content, answer []byte
	kind            bridge.Op // kind of the answer
}

// note appends a request with its answer. It skips an equal one among the last eight, which a cell that polls for a name
// causes.
func (l *ledger) note(e exchange) {
	for i := range l.exchanges[max(0, len(l.exchanges)-8):] {
		old := l.exchanges[len(l.exchanges)-1-i]
		if old.op == e.op && bytes.Equal(old.content, e.content) {
			if old.kind == e.kind && bytes.Equal(old.answer, e.answer) {
				return
			}
			break
		}
	}
	l.size += len(e.content) + len(e.answer)
	if l.size <= maxLedger {
		l.exchanges = append(l.exchanges, e)
	}
}

// number stores a formula that is being sent and returns its number.
func (l *ledger) number(f kernels.Formula) (uint64, error) {
	l.formulas = append(l.formulas, f)
	return uint64(len(l.formulas) - 1), nil
}

// formula returns the formula with a number, or false if there is none.
func (l *ledger) formula(number uint64) (kernels.Formula, bool) {
	if number >= uint64(len(l.formulas)) {
		return kernels.Formula{}, false
	}
	return l.formulas[number], true
}

// recorded reports whether the answers to a type of request are recorded. A repeated program gets them again. So it
// reaches the same Put, and nothing is recorded twice in a campaign.
func recorded(op bridge.Op) bool {
	return op == bridge.OpNames || op == bridge.OpGet || op == bridge.OpAct
}

// copy returns a copy of the ledger, or an error if the ledger exceeds maxLedger.
func (l *ledger) copy() (ledger, error) {
	if l.size > maxLedger {
		return ledger{}, fmt.Errorf("the cell has already read more than %d MiB from the session. Bind the function in a separate cell",
			maxLedger>>20)
	}
	return ledger{slices.Clone(l.exchanges), l.size, slices.Clone(l.formulas), slices.Clone(l.read)}, nil
}

// replay answers a repeated program with the answers of a ledger.
type replay struct {
	ledger
	used      []bool
	evaluator bridge.Evaluator
	mu        sync.Mutex // guards ledger.formulas, to which encoding a problem appends
}

// number stores a formula that is being sent and returns its number.
func (r *replay) number(f kernels.Formula) (uint64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ledger.number(f)
}

// formula returns the formula with a number, or false if there is none.
func (r *replay) formula(number uint64) (kernels.Formula, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ledger.formula(number)
}

func newReplay(l ledger) *replay {
	r := &replay{ledger: l, used: make([]bool, len(l.exchanges))}
	r.evaluator.Lookup = r.formula
	return r
}

// answer returns the next unused answer to the same request, or the last one if all have been used. If there is none, it
// returns an error answer.
func (r *replay) answer(op bridge.Op, content []byte) (bridge.Op, []byte) {
	if !recorded(op) {
		return r.evaluator.Answer(op, content)
	}
	last := -1
	for i, e := range r.exchanges {
		if e.op == op && bytes.Equal(e.content, content) {
			last = i
			if !r.used[i] {
				break
			}
		}
	}
	if last < 0 {
		var name string
		_ = bridge.Unpack(content, &name)
		if act := (bridge.Act{}); op == bridge.OpAct && json.Unmarshal(content, &act) == nil {
			name = act.Function
		}
		return bridge.OpError, []byte(
			fmt.Sprintf("the cell runs again as the process of a function, but now requests %q. Until session.Put it must do the same each "+
				"time", name))
	}
	r.used[last] = true
	return r.exchanges[last].kind, r.exchanges[last].answer
}
