package bounded

import (
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/cores"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Section is the kernel on some arms of a problem: those that are open or were pulled. Its arms are
// numbered from 0 in the order of the problem. It is not safe for concurrent use.
type Section struct {
	Arms     []int     // of the problem, rising
	Diagonal []float64 // k(x̃,x̃), one per arm of the section

	gram kernels.Matrix
	rows map[int][]float64 // by arm of the section: those asked for so far
}

// NewSection returns the kernel of a problem on these arms, which rise.
func NewSection(ctx context.Context, p *problem.Problem, arms []int) (*Section, error) {
	taskOf := make([]int, len(arms))
	for k, i := range arms {
		taskOf[k] = p.TaskOf[i]
	}
	gram, err := p.Kernel.On(ctx, p.Tasks, p.Arms.Subset(arms), taskOf)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	s := &Section{Arms: arms, Diagonal: make([]float64, len(arms)), gram: gram, rows: map[int][]float64{}}
	gram.Diagonal(s.Diagonal)
	return s, nil
}

// Has reports whether an arm of the problem is in the section.
func (s *Section) Has(arm int) bool {
	_, found := slices.BinarySearch(s.Arms, arm)
	return found
}

// Find returns the number in the section of an arm of the problem. It panics when it is not there.
func (s *Section) Find(arm int) int {
	k, found := slices.BinarySearch(s.Arms, arm)
	if !found {
		panic(fmt.Sprintf("bounded: arm %d is not in the section", arm))
	}
	return k
}

// Rows returns the kernel between some arms of the section and all of them, one row each, computed
// once. The end of the context is its error, and so is a lack of memory.
func (s *Section) Rows(ctx context.Context, of []int) ([][]float64, error) {
	out := make([][]float64, len(of))
	var missing []int
	for _, i := range of {
		if s.rows[i] == nil && !slices.Contains(missing, i) {
			missing = append(missing, i)
		}
	}
	if err := memlimit.Matrices(ctx, "the kernel's rows", 1, len(missing), len(s.Arms)); err != nil {
		return nil, err
	}
	fresh := make([][]float64, len(missing))
	err := cores.Do(ctx, len(missing), 1, func(k, _ int) {
		fresh[k] = make([]float64, len(s.Arms))
		s.gram.Row(fresh[k], missing[k])
	})
	if err != nil {
		return nil, err
	}
	for k, i := range missing {
		s.rows[i] = fresh[k]
	}
	for k, i := range of {
		out[k] = s.rows[i]
	}
	return out, nil
}

// Forget drops the rows of all arms but these.
func (s *Section) Forget(but []int) {
	kept := map[int][]float64{}
	for _, i := range but {
		if row := s.rows[i]; row != nil {
			kept[i] = row
		}
	}
	s.rows = kept
}
