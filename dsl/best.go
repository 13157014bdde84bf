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

// kernelAuto is the value of kernel= for a kernel chosen from the measurements.
const kernelAuto = "auto"

// bestFunction returns the function best, which recommends an arm for each task from the measurements of a problem.
func bestFunction() Function {
	return makeFunction(Function{
		Name: "best", Section: SectionProblems, Synonyms: []string{"answer", "predict", "recommend", "best_params", "best_arm"},
		Doc: "recommends an arm for every task from the measurements, with the probability that it is good enough, and proposes what " +
			"to measure next. It averages over kernels, mean levels and noise models that fit the measurements. " +
			"A stated kernel is one of these kernels, with the weight that the measurements give it",
		Params: []Param{
			problemParam,
			{Name: "epsilon", Synonyms: []string{"eps", "tolerance"}, Range: fromZero, Default: "0",
				Doc: "how far below the best arm a recommended arm may be and still be good enough, in reward units"},
			{Name: "next", Synonyms: []string{"n", "batch", "suggest"}, Range: kernels.Range{Min: 0, Max: answer.MaxNext}, Default: "0",
				Doc: "how many further measurements to propose, in all tasks together"},
			{Name: "overall", Synonyms: []string{"all_tasks", "together"}, Default: "0",
				Doc: "true: also recommend one arm for all tasks together; weights= of the problem says how much each task counts"},
			{Name: "per_block", Synonyms: []string{"max_per_block"}, Range: wholeFrom(1), Default: unset,
				Doc: "how often a proposed arm may be in a block; if blocks belong to one task each, by default as often as the data need " +
					"for all arms to be in each block"},
			{Name: "options", Synonyms: []string{"max_options"}, Range: wholeFrom(1), Default: unset,
				Doc: "how many different arms may be proposed, besides those of check="},
			{Name: "check", Synonyms: []string{"checks", "control"}, Types: []Type{Text, List}, Default: unset,
				Doc: "the arm or arms that are in every proposed block"},
			{Name: "retry", Default: "0", Doc: "true: also recommend and propose arms whose measurements all failed"},
		},
		Result: typeOf[answer.Answer](), Example: `best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)`,
	}, nil, func(c *call, a struct {
		P       *problem.Problem
		Epsilon float64
		Next    int
		Retry   bool

		Overall           bool
		PerBlock, Options int
		Check             []string
	}) (any, error) {
		if a.PerBlock > 0 && len(a.P.Blocks) == 0 {
			return answer.Answer{}, &argumentError{param: "per_block", message: "per_block limits how often an arm is in a block",
				err: fmt.Errorf("problem %q has no blocks", a.P.Name), hint: `name the column of the blocks, as in blocks="Block" (--blocks Block)`}
		}
		opt := answer.Options{Epsilon: a.Epsilon, Next: a.Next, Retry: a.Retry, Overall: a.Overall, PerBlock: a.PerBlock, Distinct: a.Options,
			Checks: a.Check}
		return dropOnError(awaitResult(c, func() (answer.Answer, error) {
			b, begun := c.e.session.believed, 0.0 // posterior of the problem that was read most recently
			if b == nil || b.Usable != a.P {      // the posterior belongs to another problem, or to an earlier version of this one
				var err error
				begun = 0.7 // approximate share of the work that is done by then
				b, err = computePosterior(c, a.P, begun)
				if u, is := undetermined(err); is {
					return dereference(answer.Undetermined(a.P, u, opt))
				}
				if err != nil {
					return answer.Answer{}, err
				}
			}
			var err error
			opt.Quantities, err = answer.Quantities(a.P, func(p *problem.Problem) (*belief.Belief, error) {
				b, err := computePosterior(c, p, begun)
				if u, is := undetermined(err); is {
					err = fmt.Errorf("the measurements of %s do not distinguish options: %w", p.Long.Reward, u)
				}
				return b, err
			})
			if err != nil {
				return answer.Answer{}, err
			}
			opt.Progress = shareProgress(c, "how certain the answer is, and what to measure next", begun, 1)
			x, err := answer.Of(c.e.ctx, b, opt)
			var unknown *answer.CheckError
			if errors.As(err, &unknown) {
				return answer.Answer{}, &argumentError{param: "check", message: "check does not fit the problem", err: err,
					hint: suggest(unknown.Name, slices.Compact(slices.Sorted(slices.Values(a.P.Arms.Names))))}
			}
			if err != nil {
				return answer.Answer{}, err
			}
			return *x, nil
		}))
	})
}

// undetermined reports whether err means that the measurements cannot distinguish the arms, and returns that error.
func undetermined(err error) (u *belief.Undetermined, is bool) {
	is = errors.As(err, &u) && u.Measured > 0
	return u, is
}

// dereference returns *p, or err if err is not nil.
func dereference[T any](p *T, err error) (out T, _ error) {
	if err != nil {
		return out, err
	}
	return *p, nil
}

// findKernel chooses the kernel of problem p from its measurements. It returns the problem with that kernel, and the
// posterior. In a campaign, it uses the kernel that was recorded at the start, and the posterior is nil. Outside
// campaigns, it chooses the kernel each time the problem is evaluated.
func findKernel(c *call, p *problem.Problem) (*problem.Problem, *belief.Belief, error) {
	stored := c.e.session.opt.found
	if x, k, err := stored.take(c.e.ctx, "problem"); err != nil {
		return nil, nil, err
	} else if x != nil {
		p = p.Logarithmic(x.Log).WithKernel(k) // compare the recorded columns by their logarithms
		p.KernelFound = x.InRun
		return p, nil, nil
	}
	if !belief.Enough(p) { // a campaign may start with candidate arms and no measurements
		q, log, err := belief.Unmeasured(p)
		if err != nil {
			return nil, nil, err
		}
		stored.keep(c.e.ctx, foundKernel{Function: "problem", Log: log, InRun: true}, q.Kernel)
		q.Notes = slices.DeleteFunc(slices.Clone(q.Notes), func(n problem.Note) bool { return n.Kind == problem.NoteUnmeasured })
		q.KernelNotes = append(q.KernelNotes, problem.Note{Kind: problem.NoteCandidates, Numbers: []float64{float64(q.N())}})
		return q, nil, nil
	}
	b, err := computePosterior(c, p, 1)
	if _, is := undetermined(err); is { // the measurements do not show how similar arms are
		k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}, Fitted: p.Digests()}
		p = p.WithKernel(k)
		p.KernelFound = true
		stored.keep(c.e.ctx, foundKernel{Function: "problem", InRun: true}, k)
		return p, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	// keep stores the kernel only while a campaign's start is recorded, see found.
	stored.keep(c.e.ctx, foundKernel{Function: "problem", Log: b.Log, InRun: true}, b.Usable.Kernel)
	return b.Usable, b, nil
}

// believing is the progress label while a posterior is computed.
const believing = "what the measurements say"

// computePosterior computes the posterior of a problem from its measurements. share is the fraction of the call's work
// that it takes, for progress. The returned posterior is shared and must not be changed.
func computePosterior(c *call, p *problem.Problem, share float64) (*belief.Belief, error) {
	return belief.Of(c.e.ctx, p, belief.Options{Memory: &c.e.session.memory, Rough: c.e.session.opt.Rough,
		Progress: shareProgress(c, believing, 0, share)})
}

// shareProgress returns a function that reports progress during one part of a step. The part calls it with a fraction from
// 0 to 1, which is mapped to the range from .. to of the step. It returns nil if progress is not reported.
func shareProgress(c *call, note string, from, to float64) func(share float64) {
	if c.e.teller == nil {
		return nil
	}
	tell := c.e.teller.update
	return func(share float64) {
		tell(Activity{Label: c.fn.Name, Total: 1, Share: from + (to-from)*share, Note: note})
	}
}

// foundFile is the file in a recipe with the kernels that were chosen from measurements when the protocol was first made.
const foundFile = "found/kernels.json"

// found holds the kernels that a script chose from measurements, in the order of the script's calls. A campaign records
// them at its start. Later commands use these kernels and do not choose again, even after rows were added or on another
// version of the program.
type found struct {
	Calls []foundKernel `json:"calls"` // in the order of the script's calls

	recording bool // if true, record calls; if false, answer calls from Calls
	next      int  // index in Calls of the next call to answer
}

// foundKernel is the recorded result of one call.
type foundKernel struct {
	Function string   `json:"function"`         // the function called: fit or problem
	Kernel   string   `json:"kernel,omitempty"` // as a script expression; "" if the call must be repeated
	From     []string `json:"from,omitempty"`   // checksums of the measurements
	Log      []string `json:"log,omitempty"`    // columns whose values are compared by their logarithms
	// whether an algorithm that can learn the kernel may do so during a run
	InRun bool     `json:"in_run,omitempty"`
	Fit   *fit.Fit `json:"fit,omitempty"` // the fit, without its kernel; nil for the function problem
}

// take returns the recorded result of the next call, and its kernel. It returns nil if the call must be computed. An
// unreadable record is an error, because another kernel must not replace it. Calls are recognised by their order, which
// never changes; the function's name is compared as a test.
func (f *found) take(ctx context.Context, function string) (*foundKernel, kernels.Joint, error) {
	if f == nil || f.recording {
		return nil, kernels.Joint{}, nil
	}
	if f.next >= len(f.Calls) || f.Calls[f.next].Function != function {
		return nil, kernels.Joint{}, fmt.Errorf("%s: the result of call %d, of %s, is missing or belongs to another function. "+
			"Use the program that wrote the file, or restore the file from a copy", foundFile, f.next+1, function)
	}
	x := &f.Calls[f.next]
	f.next++
	if x.Kernel == "" { // the kernel could not be recorded as text
		return nil, kernels.Joint{}, nil
	}
	k, err := kernelOf(ctx, x.Kernel)
	if err == nil && function == "fit" && x.Fit == nil {
		err = errors.New("the fit is missing")
	}
	if err != nil {
		return nil, kernels.Joint{}, fmt.Errorf("%s: call %d: %w", foundFile, f.next, err)
	}
	k.Fitted = x.From // checksums of the data to which the kernel was fitted
	return x, k, nil
}

// keep records the result of a call with its kernel k. The kernel is recorded as text. If that text does not parse to the
// same kernel, keep records an entry without a kernel, and later commands repeat the call.
func (f *found) keep(ctx context.Context, x foundKernel, k kernels.Joint) {
	if f == nil || !f.recording {
		return
	}
	x.Kernel, x.From = k.String(), k.Fitted
	again, err := kernelOf(ctx, x.Kernel)
	if err == nil && again.String() != x.Kernel { // parsing multiplies the scales of factors; the second text then stays the same
		x.Kernel = again.String()
		again, err = kernelOf(ctx, x.Kernel)
	}
	// Do not record a fit that JSON cannot encode.
	if _, e := json.Marshal(x); err != nil || e != nil || again.String() != x.Kernel {
		x = foundKernel{Function: x.Function}
	}
	f.Calls = append(f.Calls, x)
}

// kernelOf parses the text of a kernel. It returns an error if the kernel has formulas, because the text does not contain
// their definitions.
func kernelOf(ctx context.Context, text string) (kernels.Joint, error) {
	script, errs := Parse(foundFile, text)
	if len(errs) > 0 {
		return kernels.Joint{}, errs
	}
	// Evaluate the text as a script that displays the kernel; it reads no files.
	displays, err := NewSession(Options{}).Eval(ctx, script)
	if err != nil {
		return kernels.Joint{}, err
	}
	switch k := displays[len(displays)-1].Value.(type) {
	case kernels.Joint:
		return k, nil
	case kernels.Kernel: // for example, a constant, which belongs to neither space
		return kernels.LiftBoth(k)
	}
	return kernels.Joint{}, fmt.Errorf("%s: %q is not a kernel", foundFile, text)
}

// readFound returns the kernels that a campaign recorded in its files; nil if it recorded none. An unreadable file is an
// error, because another kernel must not replace a recorded one.
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
