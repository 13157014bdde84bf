package dsl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// foundFile is the file of a recipe that holds the kernels which were found from measurements when the protocol
// was made first.
const foundFile = "found/kernels.json"

// found holds the kernels that a script finds from measurements, in the order of its calls. A campaign keeps to
// them: they are not found again by each command, on other machines or by later versions, and rows that are added
// to its table do not change them.
type found struct {
	Calls []foundKernel `json:"calls"`

	recording bool
	next      int // call to be answered
}

// foundKernel is what one call found.
type foundKernel struct {
	Function string   `json:"function"`         // fit or problem
	Kernel   string   `json:"kernel,omitempty"` // in the language; "" where the call has to be made again
	From     []string `json:"from,omitempty"`   // digests of the measurements
	Log      []string `json:"log,omitempty"`    // columns that are compared by their logarithm
	// whether methods that can learn the kernel in the run do so; not in campaigns of versions that could not
	InRun bool     `json:"in_run,omitempty"`
	Fit   *fit.Fit `json:"fit,omitempty"`
}

// take returns what the next call found, and its kernel; nil where the call has to be made. It is an error when
// what is recorded cannot be read: another kernel must not take its place.
func (f *found) take(ctx context.Context, function string) (*foundKernel, kernels.Joint, error) {
	if f == nil || f.recording {
		return nil, kernels.Joint{}, nil
	}
	if f.next >= len(f.Calls) || f.Calls[f.next].Function != function {
		return nil, kernels.Joint{}, fmt.Errorf("%s: want what call %d, of %s, found", foundFile, f.next+1, function)
	}
	x := &f.Calls[f.next]
	f.next++
	if x.Kernel == "" {
		return nil, kernels.Joint{}, nil
	}
	k, err := kernelOf(ctx, x.Kernel)
	if err == nil && function == "fit" && x.Fit == nil {
		err = errors.New("the fit is missing")
	}
	if err != nil {
		return nil, kernels.Joint{}, fmt.Errorf("%s: call %d: %w", foundFile, f.next, err)
	}
	k.Fitted = x.From
	return x, k, nil
}

// keep notes what a call found. A kernel that has no text is found again by whoever makes the protocol later.
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
	if _, e := json.Marshal(x); err != nil || e != nil || again.String() != x.Kernel {
		x = foundKernel{Function: x.Function}
	}
	f.Calls = append(f.Calls, x)
}

// kernelOf reads the text of a kernel.
func kernelOf(ctx context.Context, text string) (kernels.Joint, error) {
	script, errs := Parse(foundFile, text)
	if len(errs) > 0 {
		return kernels.Joint{}, errs
	}
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
