package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/front/bridge"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// maxLedger bounds the bytes that are kept of answers to one cell. A cell that
// read more cannot bind a function afterwards.
const maxLedger = 128 << 20

// ledger records what one cell was answered, so that its program can be run again and get the same
// answers.
type ledger struct {
	exchanges []exchange
	size      int
	formulas  []kernels.Formula // by their number in the answers
}

type exchange struct {
	op              bridge.Op
	content, answer []byte
	kind            bridge.Op // of the answer
}

// note keeps an answer. One that was just given, as to a cell that waits for a name,
// is kept once.
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

// number gives a formula that is sent a number.
func (l *ledger) number(f kernels.Formula) (uint64, error) {
	l.formulas = append(l.formulas, f)
	return uint64(len(l.formulas) - 1), nil
}

// formula returns the formula that a number was given to.
func (l *ledger) formula(number uint64) (kernels.Formula, bool) {
	if number >= uint64(len(l.formulas)) {
		return kernels.Formula{}, false
	}
	return l.formulas[number], true
}

// recorded reports whether answers to a request are kept: a program that runs again to become the process of a
// function gets them again, so that it comes to the same place, and no campaign is told twice.
func recorded(op bridge.Op) bool {
	return op == bridge.OpNames || op == bridge.OpGet || op == bridge.OpAct
}

// copy returns the ledger as it is now.
func (l *ledger) copy() (ledger, error) {
	if l.size > maxLedger {
		return ledger{}, fmt.Errorf("the cell has read more than %d MiB from the session before; bind the function in a cell of its own",
			maxLedger>>20)
	}
	return ledger{slices.Clone(l.exchanges), l.size, slices.Clone(l.formulas)}, nil
}

// replay gives the answers of a ledger again.
type replay struct {
	ledger
	used      []bool
	evaluator bridge.Evaluator
}

func newReplay(l ledger) *replay {
	r := &replay{ledger: l, used: make([]bool, len(l.exchanges))}
	r.evaluator.Lookup = r.formula
	return r
}

// answer returns the first answer to the same request that was not given yet, or else
// the last one.
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
			fmt.Sprintf("the cell runs again to become the process of a function, and asks for %q, which it did not ask for before; "+
				"it must come to session.Put in the same way", name))
	}
	r.used[last] = true
	return r.exchanges[last].kind, r.exchanges[last].answer
}
