package dsl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// kernelAuto is the kernel of a problem that is found from its measurements.
const kernelAuto = "auto"

// bestFunction returns the function that answers from measurements. The kernel that the problem has does not count.
func bestFunction() Function {
	return bound(Function{
		Name: "best", Section: SectionProblems, Synonyms: []string{"answer", "predict", "recommend", "best_params", "best_arm"},
		Doc: "the best arm of every task by what was measured, how sure that is, and what to measure next; kernel, level and noise are " +
			"found from the measurements and averaged over, whatever kernel the problem has",
		Params: []Param{
			problemParam,
			{Name: "epsilon", Synonyms: []string{"eps", "tolerance"}, Range: fromZero, Default: "0",
				Doc: "an arm this close to the best is good enough, in reward units"},
			{Name: "next", Synonyms: []string{"n", "batch", "suggest"}, Range: kernels.Range{Min: 0, Max: answer.MaxNext}, Default: "0",
				Doc: "how many further measurements to propose, of all tasks together"},
			{Name: "retry", Default: "0", Doc: "true: take and propose options, too, of which all measurements failed"},
		},
		Result: typeOf[answer.Answer](), Example: `best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)`,
	}, nil, func(c *call, a struct {
		P       *problem.Problem
		Epsilon float64
		Next    int
		Retry   bool
	}) (any, error) {
		return given(computed(c, func() (answer.Answer, error) {
			b, begun := c.e.session.believed, 0.0 // by which the kernel of p was found, or of another problem
			if b == nil || b.Usable != a.P {      // of another problem, or of an earlier version of this one
				var err error
				begun = 0.7 // about
				b, err = believe(c, a.P, begun)
				if u, is := undetermined(err); is {
					return pointed(answer.Undetermined(a.P, u, answer.Options{Epsilon: a.Epsilon, Next: a.Next, Retry: a.Retry}))
				}
				if err != nil {
					return answer.Answer{}, err
				}
			}
			x, err := answer.Of(c.e.ctx, b, answer.Options{
				Epsilon: a.Epsilon, Next: a.Next, Retry: a.Retry, Progress: sharing(c, "how sure, and what to measure next", begun, 1),
			})
			if err != nil {
				return answer.Answer{}, err
			}
			return *x, nil
		}))
	})
}

// undetermined returns why measurements do not tell options apart, where that is the error.
func undetermined(err error) (u *belief.Undetermined, is bool) {
	is = errors.As(err, &u) && u.Measured > 0
	return u, is
}

// pointed returns what a pointer points at.
func pointed[T any](p *T, err error) (out T, _ error) {
	if err != nil {
		return out, err
	}
	return *p, nil
}

// findKernel returns the problem under the kernel that is found from its measurements, which it must have, and
// what these say; nil where the kernel was found before.
// A campaign takes the kernel that it found at its start. Elsewhere each evaluation of problem finds it again.
func findKernel(c *call, p *problem.Problem) (*problem.Problem, *belief.Belief, error) {
	stored := c.e.session.opt.found
	if x, k, err := stored.take(c.e.ctx, "problem"); err != nil {
		return nil, nil, err
	} else if x != nil {
		p = p.Logarithmic(x.Log).WithKernel(k) // with the recorded columns as logarithms
		p.KernelFound = x.InRun
		return p, nil, nil
	}
	if !belief.Enough(p) { // candidates alone: a campaign begins without a measurement
		q, log, err := belief.Unmeasured(p)
		if err != nil {
			return nil, nil, err
		}
		stored.keep(c.e.ctx, foundKernel{Function: "problem", Log: log, InRun: true}, q.Kernel)
		q.Notes = slices.DeleteFunc(slices.Clone(q.Notes), func(n problem.Note) bool { return n.Kind == problem.NoteUnmeasured })
		q.KernelNotes = append(q.KernelNotes, problem.Note{Kind: problem.NoteCandidates, Numbers: []float64{float64(q.N())}})
		return q, nil, nil
	}
	b, err := believe(c, p, 1)
	if _, is := undetermined(err); is { // then nothing relates arms
		k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}, Fitted: p.Digests()}
		p = p.WithKernel(k)
		p.KernelFound = true
		stored.keep(c.e.ctx, foundKernel{Function: "problem", InRun: true}, k)
		return p, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	// Only a session that records keeps it, see found.
	stored.keep(c.e.ctx, foundKernel{Function: "problem", Log: b.Log, InRun: true}, b.Usable.Kernel)
	return b.Usable, b, nil
}

// believing is what is under way while a belief is computed.
const believing = "what the measurements say"

// believe computes what the measurements of a problem say, which is the work of the function up to a share.
// The result is shared and must not be changed.
func believe(c *call, p *problem.Problem, share float64) (*belief.Belief, error) {
	return belief.Of(c.e.ctx, p, belief.Options{Memory: &c.e.session.memory, Progress: sharing(c, believing, 0, share)})
}

// sharing returns the function to which a part of the only step of a function tells how much of it is done; nil where nobody
// is told.
// Share goes from 0 to 1 and comes out between from and to; the step is over when the function returns.
func sharing(c *call, note string, from, to float64) func(share float64) {
	if c.e.teller == nil {
		return nil
	}
	tell := c.e.teller.update
	return func(share float64) {
		tell(Activity{Label: c.fn.Name, Total: 1, Share: from + (to-from)*share, Note: note})
	}
}

// foundFile is the file of a recipe that holds the kernels which were found from measurements when the protocol
// was made first.
const foundFile = "found/kernels.json"

// found holds the kernels that a script finds from measurements, in the order of its calls. A campaign keeps to
// them: they are not found again by each command, on other machines or by later versions, and rows that are added
// to its table do not change them.
type found struct {
	Calls []foundKernel `json:"calls"` // in the order in which the script makes them

	recording bool // calls are made and noted; else they are answered from Calls
	next      int  // call to be answered
}

// foundKernel is what one call found.
type foundKernel struct {
	Function string   `json:"function"`         // fit or problem
	Kernel   string   `json:"kernel,omitempty"` // in the language; "" where the call has to be made again
	From     []string `json:"from,omitempty"`   // digests of the measurements
	Log      []string `json:"log,omitempty"`    // columns that are compared by their logarithm
	// whether methods that can learn the kernel in the run do so; not in campaigns of versions that could not
	InRun bool     `json:"in_run,omitempty"`
	Fit   *fit.Fit `json:"fit,omitempty"` // the fit, without its kernel; nil of problem
}

// take returns what the next call found, and its kernel; nil where the call has to be made. It is an error when
// what is recorded cannot be read: another kernel must not take its place.
// The calls of the script come in the same order each time, so a number tells them apart; the name of the function is a
// check.
func (f *found) take(ctx context.Context, function string) (*foundKernel, kernels.Joint, error) {
	if f == nil || f.recording {
		return nil, kernels.Joint{}, nil
	}
	if f.next >= len(f.Calls) || f.Calls[f.next].Function != function {
		return nil, kernels.Joint{}, fmt.Errorf("%s: want what call %d, of %s, found", foundFile, f.next+1, function)
	}
	x := &f.Calls[f.next]
	f.next++
	if x.Kernel == "" { // it had no text that gives it back
		return nil, kernels.Joint{}, nil
	}
	k, err := kernelOf(ctx, x.Kernel)
	if err == nil && function == "fit" && x.Fit == nil {
		err = errors.New("the fit is missing")
	}
	if err != nil {
		return nil, kernels.Joint{}, fmt.Errorf("%s: call %d: %w", foundFile, f.next, err)
	}
	k.Fitted = x.From // so that it is known to which data it was fitted
	return x, k, nil
}

// keep notes what a call found. A kernel that has no text is found again by whoever makes the protocol later.
// The text must read as the same kernel; it is read twice where the first reading simplifies it.
func (f *found) keep(ctx context.Context, x foundKernel, k kernels.Joint) {
	if f == nil || !f.recording {
		return
	}
	x.Kernel, x.From = k.String(), k.Fitted
	again, err := kernelOf(ctx, x.Kernel)
	if err == nil && again.String() != x.Kernel { // scales of factors are one scale when they are read
		x.Kernel = again.String()
		again, err = kernelOf(ctx, x.Kernel)
	}
	// A fit that JSON cannot hold is not kept either.
	if _, e := json.Marshal(x); err != nil || e != nil || again.String() != x.Kernel {
		x = foundKernel{Function: x.Function}
	}
	f.Calls = append(f.Calls, x)
}

// kernelOf reads a kernel from its text. A kernel of formulas is an error, as the text does not define them.
func kernelOf(ctx context.Context, text string) (kernels.Joint, error) {
	script, errs := Parse(foundFile, text)
	if len(errs) > 0 {
		return kernels.Joint{}, errs
	}
	// The text of a kernel is a script that displays it, and reads nothing.
	displays, err := NewSession(Options{}).Eval(ctx, script)
	if err != nil {
		return kernels.Joint{}, err
	}
	switch k := displays[len(displays)-1].Value.(type) {
	case kernels.Joint:
		return k, nil
	case kernels.Kernel: // a sum of constants and identities names no space
		return kernels.LiftBoth(k)
	}
	return kernels.Joint{}, fmt.Errorf("%s: %q is no kernel", foundFile, text)
}

// readFound reads what the recorded files of a campaign say was found, nil where none does: then nothing was, or
// an earlier version recorded them.
// A file that cannot be read is an error: another kernel must not take its place.
func readFound(files []campaign.File) (*found, error) {
	at := slices.IndexFunc(files, func(f campaign.File) bool { return f.Path == foundFile })
	if at < 0 {
		return nil, nil
	}
	f := &found{}
	if err := json.Unmarshal(files[at].Content, f); err != nil {
		return nil, fmt.Errorf("%s: %w", foundFile, err)
	}
	return f, nil
}
