package kernels

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// On returns the Gram matrix of the joint kernel on N arms without storing it: arm i is arms.Point(i), and belongs to the task
// tasks.Point(taskOf[i]). Task kernels are evaluated once on the V tasks, and arm kernels row by row, skipping unrelated tasks.
// Rows are fastest if the arms of a task are contiguous. It returns an error if the context ends or if memory for a V×V matrix is
// missing, and panics if taskOf does not match arms and tasks.
func (j Joint) On(ctx context.Context, tasks, arms *Points, taskOf []int) (_ Matrix, err error) {
	defer try.Caught(&err)
	if len(taskOf) != arms.Len() {
		panic("kernels: taskOf must have one task per arm")
	}
	m := &jointGram{arms: arms, taskOf: taskOf}
	for i := 0; i < len(taskOf); {
		if taskOf[i] < 0 || taskOf[i] >= tasks.Len() {
			panic("kernels: taskOf must be indices of tasks")
		}
		start := i
		for i < len(taskOf) && taskOf[i] == taskOf[start] {
			i++
		}
		m.blocks = append(m.blocks, block{taskOf[start], start, i})
		m.longest = max(m.longest, i-start)
	}
	try.To(square(ctx, "the Gram matrix", len(j.Terms)+1, tasks.Len(), "tasks"))
	for _, t := range j.Terms {
		m.add(try.Two(t.taskGram(ctx, tasks, arms)))
	}
	return m, nil
}

// taskGram binds the term and returns Scale·Task on the tasks: V×V.
func (t Term) taskGram(ctx context.Context, tasks, arms *Points) (Term, *mat.SymDense, error) {
	t, err := t.on(tasks, arms, Bind)
	if err != nil {
		return t, nil, err
	}
	gram, err := fill(ctx, implicit{cmp.Or(t.Task, Kernel(Constant{1})), tasks})
	if err == nil {
		gram.ScaleSym(t.Scale, gram)
	}
	return t, gram, err
}

// TaskGram returns the V×V task part of the joint kernel, K_Z = Σ_t Scale_t Task_t. For one term it is the task kernel matrix of
// [Du23, sec. 3]. For several, rank K_Z times the rank of ArmMatrix is an upper bound on the rank of the joint matrix, since the
// range of a sum of positive semi-definite matrices contains the ranges of its terms.
func (j Joint) TaskGram(ctx context.Context, tasks *Points) (_ *mat.SymDense, err error) {
	defer try.Caught(&err)
	try.To(square(ctx, "the Gram matrix", 2, tasks.Len(), "tasks"))
	sum := mat.NewSymDense(tasks.Len(), nil)
	for _, t := range j.Terms {
		_, gram := try.Two(Term{Scale: t.Scale, Task: t.Task}.taskGram(ctx, tasks, nil))
		sum.AddSym(sum, gram)
	}
	return sum, nil
}

// ArmMatrix returns the arm part of the joint kernel on the N arms, Σ_t Arm_t over the terms with Scale > 0, without storing it.
// Term scales belong to the task part and are not applied here.
func (j Joint) ArmMatrix(arms *Points) (Matrix, error) {
	var sum Kernel
	for _, t := range j.Terms {
		if t.Scale == 0 {
			continue
		}
		bound, err := Term{Scale: 1, Arm: t.Arm}.on(nil, arms, Bind)
		if err != nil {
			return nil, err
		}
		switch arm := bound.Arm; {
		case arm == nil && sum == nil:
			sum = Constant{1}
		case arm == nil:
			sum = Add(sum, Constant{1})
		case sum == nil:
			sum = arm
		default:
			sum = Add(sum, arm)
		}
	}
	sum = cmp.Or(sum, Kernel(Constant{0}))
	return implicit{sum, arms}, nil
}

// jointGram is the Gram matrix of a joint kernel: the sum over parts of task[taskOf[i]][taskOf[j]]·arm(x_i, x_j).
type jointGram struct {
	parts   []jointPart
	arms    *Points
	taskOf  []int
	blocks  []block // runs of arms of one task
	longest int     // arms in the longest run
}

type jointPart struct {
	task *mat.SymDense // V×V, scale included
	arm  Kernel        // bound; nil is the constant 1
}

type block struct{ task, start, end int }

// add adds a bound term to the part with the same arm kernel, or as a new part.
func (m *jointGram) add(t Term, task *mat.SymDense) {
	for _, p := range m.parts {
		if equalFactor(p.arm, t.Arm) {
			p.task.AddSym(p.task, task)
			return
		}
	}
	m.parts = append(m.parts, jointPart{task, t.Arm})
}

// Len returns the number of arms N.
func (m *jointGram) Len() int { return len(m.taskOf) }

// Row sets dst[j] = k(arm i, arm j).
func (m *jointGram) Row(dst []float64, i int) { m.Part(dst, i, 0) }

// Part sets dst[j] = k(arm i, arm from+j).
func (m *jointGram) Part(dst []float64, i, from int) {
	clear(dst)
	x := m.arms.Point(i)
	buffer := make([]float64, min(m.longest, len(dst)))
	first := sort.Search(len(m.blocks), func(k int) bool { return m.blocks[k].end > from })
	for _, b := range m.blocks[first:] {
		start, end := max(b.start, from), min(b.end, from+len(dst))
		if start >= end {
			break
		}
		for _, p := range m.parts {
			p.addTo(dst[start-from:end-from], buffer[:end-start], p.task.At(m.taskOf[i], b.task), x, m.arms, start)
		}
	}
}

// Diagonal sets dst[i] = k(arm i, arm i).
func (m *jointGram) Diagonal(dst []float64) {
	clear(dst)
	x := Point{X: make([]float64, m.arms.Dim())}
	var buffer [1]float64
	for i, v := range m.taskOf {
		m.arms.read(&x, i)
		for _, p := range m.parts {
			p.addTo(dst[i:i+1], buffer[:], p.task.At(v, v), x, m.arms, i)
		}
	}
}

// Components returns the points of a Gram matrix in groups between which the kernel is 0, each in ascending order. For a joint
// kernel these are the arms of tasks that no term relates; otherwise all points form one group.
func Components(m Matrix) [][]int {
	j, joint := m.(*jointGram)
	if !joint || len(j.parts) == 0 {
		return [][]int{indices.All(m.Len())}
	}
	tasks := j.parts[0].task.SymmetricDim()
	of := slices.Repeat([]int{-1}, tasks) // group of each task
	groups := 0
	for first := range of {
		if of[first] >= 0 {
			continue
		}
		of[first] = groups
		for open := []int{first}; len(open) > 0; {
			v := open[0]
			open = open[1:]
			for w := range of {
				if of[w] < 0 && slices.ContainsFunc(j.parts, func(p jointPart) bool { return p.task.At(v, w) != 0 }) {
					of[w], open = groups, append(open, w)
				}
			}
		}
		groups++
	}
	out := indices.Groups(groups, indices.Of(of, j.taskOf))
	return slices.DeleteFunc(out, func(arms []int) bool { return len(arms) == 0 })
}

// addTo adds scale·arm(x, ys[from+j]) to dst[j].
func (p jointPart) addTo(dst, buffer []float64, scale float64, x Point, ys *Points, from int) {
	switch {
	case scale == 0: // unrelated tasks
		return
	case p.arm == nil:
		for j := range dst {
			dst[j] += scale
		}
		return
	}
	p.arm.Row(buffer, x, ys, from)
	for j, v := range buffer {
		dst[j] += scale * v
	}
}
