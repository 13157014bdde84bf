package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// keyLength is the number of hexadecimal digits of a key.
const keyLength = 2 * sha256.Size

// errDraw answers the question for the key of an experiment that cannot have one.
var errDraw = errors.New("an experiment with a reward function of its own cannot be stored: nothing distinguishes it from another function")

// key returns SHA-256 over all that a result depends on, in hexadecimal.
func (x Experiment) key(ctx context.Context) (string, error) {
	if x.Draw != nil {
		return "", errDraw
	}
	if x.Own != nil {
		return "", errOwn
	}
	model, err := model.NewContext(ctx, x.Problem, x.Options.Unit)
	if err != nil {
		return "", err
	}
	return x.keyOf(ctx, model)
}

// keyOf returns the key of an experiment whose problem is bound to its kernel already.
//
// Of the kernel it has the text and also the features that it gives on the points: the
// text of a formula is its name, behind which there can be another function.
func (x Experiment) keyOf(ctx context.Context, model *model.Model) (string, error) {
	if x.Draw != nil {
		return "", errDraw
	}
	if x.Own != nil {
		return "", errOwn
	}
	p := x.Problem
	rank, values, err := ofKernel(model)
	if err != nil {
		return "", err
	}
	tasks, err := p.Kernel.TaskGram(ctx, p.Tasks)
	if err != nil {
		return "", fmt.Errorf("problem %q: %w", p.Name, err)
	}
	noise := p.Noise // all of it: its lists bit by bit
	noise.Scales, noise.SD, noise.Strength = nil, nil, strength(p)
	words, err := json.Marshal([]any{
		ResultsRevision, x.Mode, x.Algorithm, engine.NonZero(x.Options), x.Runs, x.Seed, x.Detail,
		p.Name, p.Tasks.Names, p.Arms.Names, p.TaskOf, p.Kernel.String(), engine.NonZero(noise), rank,
	})
	if err != nil {
		return "", fmt.Errorf("problem %q: %w", p.Name, err)
	}
	h := keyHash{sha256.New()}
	h.Write(words)
	h.numbers([]float64{model.Scale}, values, tasks.RawSymmetric().Data, p.Noise.Scales, p.Mean, p.Noise.SD)
	h.numbers(p.Rewards...)
	if p.Noise.Environment == problem.EnvironmentPosterior {
		fmt.Fprintf(h, "belief %d", belief.Revision)
		for _, d := range p.Digests() {
			h.Write([]byte(d))
		}
	}
	if p.Block != nil {
		fmt.Fprintf(h, "side by side %s %g", p.Block.Name, p.Block.Effect)
	}
	if p.Goal != problem.GoalMax { // which the estimates show by their sign
		h.Write([]byte("goal " + p.Goal))
	}
	if x.Mode == engine.ModeFB && p.KernelFound { // which some methods then learn in the run
		fmt.Fprintf(h, "kernel found, learned %d", belief.Revision)
	}
	if p.KernelFittedHere() { // which the guarantee of the result says
		h.Write([]byte("fitted here"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ofKernel returns the rank of the kernel on the points, and its features; of very many arms no rank,
// and the points in place of the features, unless there are formulas in the kernel.
func ofKernel(m *model.Model) (rank int, values []float64, err error) {
	if m.Features == nil && len(m.Problem.Kernel.Formulas()) == 0 {
		for _, points := range []*kernels.Points{m.Problem.Tasks, m.Problem.Arms} {
			for _, column := range points.X {
				values = append(values, column...)
			}
		}
		return 0, values, nil
	}
	if m, err = m.Exact(); err != nil {
		return 0, nil, err
	}
	return m.Rank(), m.Features.RawMatrix().Data, nil
}

// keyHash takes in numbers bit by bit.
type keyHash struct{ hash.Hash }

// numbers takes in lists with their lengths, so that none runs into the next.
func (h keyHash) numbers(lists ...[]float64) {
	b := binary.AppendUvarint(nil, uint64(len(lists)))
	for _, list := range lists {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	h.Write(b)
}
