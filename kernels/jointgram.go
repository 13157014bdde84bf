package kernels

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// On returns the N×N Gram matrix of the joint kernel on N arms without storing it. Arm i has the features arms.Point(i)
// and belongs to task tasks.Point(taskOf[i]). For up to mostStored tasks, task kernels are evaluated once and stored. Arm
// kernels are evaluated row by row, only between tasks that a term relates. Rows are fastest if the arms of a task are
// contiguous. On returns an error for an invalid kernel and if ctx ends. It panics if taskOf does not match arms and
// tasks.
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
	for _, t := range j.Terms {
		bound := try.Of(t.on(tasks, arms, Bind))
		m.add(bound.Arm, try.Of(bound.taskPart(ctx, tasks)))
	}
	return m, nil
}

// mostStored is the largest number of tasks for which the V×V matrix of a task kernel is stored. It then takes 32 MB.
const mostStored = 2048

// taskPart is the task factor of a term times its scale: the sum of a constant, a multiple of identity(), and other
// kernels.
type taskPart struct {
	constant, alone float64
	ids             []int
	gram            *mat.SymDense // V×V matrix of the other kernels; nil if there are none
	others          []Term        // the other kernels, if there are too many tasks to store gram
	tasks           *Points
}

// taskPart returns the task factor of a term times its scale. The kernels of the term must be bound.
func (t Term) taskPart(ctx context.Context, tasks *Points) (p taskPart, err error) {
	p.ids, p.tasks = tasks.ID, tasks
	switch t.Task.(type) {
	case nil:
		p.constant = t.Scale
	case Identity:
		p.alone = t.Scale
	default:
		if tasks.Len() > mostStored {
			p.others = []Term{{Scale: t.Scale, Task: t.Task}}
			return p, nil
		}
		if p.gram, err = fill(ctx, implicit{t.Task, tasks}); err == nil {
			p.gram.ScaleSym(t.Scale, p.gram)
		}
	}
	return p, err
}

// add adds the task factor q of another term with the same arm kernel.
func (p *taskPart) add(q taskPart) {
	p.constant, p.alone, p.others = p.constant+q.constant, p.alone+q.alone, append(p.others, q.others...)
	switch {
	case p.gram == nil:
		p.gram = q.gram
	case q.gram != nil:
		p.gram.AddSym(p.gram, q.gram)
	}
}

// at returns the value of the task factor for tasks v and w.
func (p *taskPart) at(v, w int) float64 {
	out := p.constant
	if p.alone != 0 && p.ids[v] == p.ids[w] {
		out += p.alone
	}
	if p.gram != nil {
		out += p.gram.At(v, w)
	}
	for _, t := range p.others {
		out += t.Scale * t.Task.Eval(p.tasks.Point(v), p.tasks.Point(w))
	}
	return out
}

// TaskGram returns the V×V task part of the joint kernel, K_Z = Σ_t Scale_t Task_t. For one term it is the task kernel
// matrix of [Du23, sec. 3]. For several terms, rank(K_Z) times the rank of ArmMatrix is an upper bound on the rank of the
// joint matrix.
func (j Joint) TaskGram(ctx context.Context, tasks *Points) (_ *mat.SymDense, err error) {
	defer try.Caught(&err)
	try.To(square(ctx, "the Gram matrix", 2, tasks.Len(), "tasks"))
	sum := taskPart{ids: tasks.ID, tasks: tasks}
	for _, t := range j.Terms {
		bound := try.Of(Term{Scale: t.Scale, Task: t.Task}.on(tasks, nil, Bind))
		sum.add(try.Of(bound.taskPart(ctx, tasks)))
	}
	return symmetric.Make(tasks.Len(), sum.at), nil
}

// ArmMatrix returns the arm part of the joint kernel on the N arms, Σ_t Arm_t over the terms with Scale > 0, without
// storing it. It does not include Scale, which is part of TaskGram.
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

// jointGram is the Gram matrix of a joint kernel, Σ over parts of task[taskOf[i]][taskOf[j]]·arm(x_i, x_j).
type jointGram struct {
	parts   []jointPart
	arms    *Points
	taskOf  []int
	blocks  []block // runs of consecutive arms of one task
	longest int     // largest number of arms in a run
}

type jointPart struct {
	task taskPart
	arm  Kernel // bound; nil is the constant 1
}

type block struct{ task, start, end int }

// add adds a term with bound kernels: to the part with the same arm kernel if there is one, otherwise as a new part.
func (m *jointGram) add(arm Kernel, task taskPart) {
	for k := range m.parts {
		if equalFactor(m.parts[k].arm, arm) {
			m.parts[k].task.add(task)
			return
		}
	}
	m.parts = append(m.parts, jointPart{task, arm})
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
		for k := range m.parts {
			p := &m.parts[k]
			p.addTo(dst[start-from:end-from], buffer[:end-start], p.task.at(m.taskOf[i], b.task), x, m.arms, start)
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
		for k := range m.parts {
			p := &m.parts[k]
			p.addTo(dst[i:i+1], buffer[:], p.task.at(v, v), x, m.arms, i)
		}
	}
}

// Divide splits j into two joint kernels whose sum is j. shared has the terms that relate tasks; own has the terms that
// are 0 between different tasks. apart is true if own is also 0 between different arms of a task. Divide decides by the
// expressions of the terms alone.
func Divide(j Joint) (shared, own Joint, apart bool) {
	apart = true
	for _, t := range j.Terms {
		for _, task := range expanded(t.Task) {
			if !alone(task) {
				shared.Terms = append(shared.Terms, Term{t.Scale, task, t.Arm}.normal())
				continue
			}
			own.Terms = append(own.Terms, Term{t.Scale, task, t.Arm}.normal())
			apart = apart && !slices.ContainsFunc(expanded(t.Arm), func(k Kernel) bool { return !alone(k) })
		}
	}
	return shared, own, apart
}

// alone reports whether identity() is a factor of the kernel.
func alone(k Kernel) bool {
	switch k := k.(type) {
	case Identity:
		return true
	case Scaled, Power, Product:
		return slices.ContainsFunc(Parts(k), alone)
	}
	return false
}

// expanded returns kernels without sums whose sum is k, by multiplying out. If these are too many, it returns k itself. A
// nil kernel is the constant 1.
func expanded(k Kernel) []Kernel {
	var out []Kernel
	switch k := k.(type) {
	case Sum:
		for _, t := range k.Terms {
			out = append(out, expanded(t)...)
		}
	case Scaled:
		for _, t := range expanded(k.Kernel) {
			out = append(out, mulFactor(Constant{k.Scale}, t))
		}
	case Product:
		out = []Kernel{nil}
		for _, f := range k.Factors {
			var next []Kernel
			for _, a := range out {
				for _, b := range expanded(f) {
					next = append(next, mulFactor(a, b))
				}
			}
			out = next
		}
	default:
		return []Kernel{k}
	}
	if len(out) > maxTerms {
		return []Kernel{k}
	}
	return out
}

// addTo adds scale·arm(x, ys[from+j]) to dst[j].
func (p *jointPart) addTo(dst, buffer []float64, scale float64, x Point, ys *Points, from int) {
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
