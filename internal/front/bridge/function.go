package bridge

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// FunctionPut binds a value that has functions of the cell in it: a Go func as a
// kernel, a kernel or problem that uses one, or a reward function. The functions in
// Value are numbered from 0. The rest says how to start the program again so that it
// gets to the same place.
type FunctionPut struct {
	Named
	Number  int // which Put with functions this is in the program, from 1
	Program string
	Args    []string // os.Args
	Dir     string
	Env     []string
	Elapsed time.Duration // since the program started
}

// What the process of a function finds open, besides its standard streams.
const (
	FunctionFile = 3 // the kernel asks, Serve answers
	SessionFile  = 4 // the program asks, as a cell asks the kernel
)

// Serve answers for functions until the other end is closed, and returns then. Frames
// are read while a function runs, so that gone is called at once when the other end
// closes, whatever the function does.
func Serve(rw io.ReadWriter, formulas []kernels.Formula, reward sim.RewardFunc, gone func()) {
	type request struct {
		op      Op
		content []byte
	}
	requests := make(chan request)
	in := bufio.NewReader(rw)
	go func() {
		for {
			op, content, err := ReadFrame(in, MaxFrame)
			if err != nil {
				gone()
				close(requests)
				return
			}
			requests <- request{op, content}
		}
	}()
	e := Evaluator{Reward: reward, Lookup: func(number uint64) (kernels.Formula, bool) {
		if number >= uint64(len(formulas)) {
			return kernels.Formula{}, false
		}
		return formulas[number], true
	}}
	for r := range requests {
		op, answer := e.Answer(r.op, r.content)
		if WriteFrame(rw, op, answer) != nil {
			return
		}
	}
}

// wrap makes a kernel or reward function of the plain Go functions that may be put;
// other values stay as they are.
func wrap(name string, v any) (any, error) {
	missing := false
	switch f := v.(type) {
	case func(x, y []float64) float64:
		if missing = f == nil; !missing {
			return kernels.Func(name, f), nil
		}
	case func(rng *rand.Rand, task, arm string) float64:
		if missing = f == nil; !missing {
			return sim.RewardFunc(func(rng *rand.Rand, task, arm string, n int) (float64, error) {
				sum := 0.0
				for range n {
					sum += f(rng, task, arm)
				}
				return sum / float64(n), nil
			}), nil
		}
	case kernels.Formula:
		if f.Body == "" {
			f.Name = name // prints as what it is bound to
		}
		return f, nil
	}
	if missing {
		return nil, fmt.Errorf("the function is nil")
	}
	return v, nil
}
