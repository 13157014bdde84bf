package kernels

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Joint is a kernel on pairs of a task and an arm,
//
//	k((z, x), (z', x')) = Σ_t Scale_t · Task_t(z, z') · Arm_t(x, x').
//
// It is positive semi-definite because its parts are. One term is the product kernel of [Du23, sec. 3], also known as the intrinsic
// coregionalisation model of multi-task Gaussian processes. Several terms are the linear model of coregionalisation. The zero value, with
// no terms, is the kernel 0.
type Joint struct {
	Terms []Term
	// Fitted has the digests of the data sets to which hyperparameters of the kernel were fitted. A combined kernel has
	// the digests of all its parts. Equal and String ignore Fitted.
	Fitted []string
}

// Term is Scale·Task·Arm. A nil factor is the constant 1.
type Term struct {
	Scale     float64 // ≥ 0
	Task, Arm Kernel
}

// LiftTask returns task(k), a joint kernel that compares only tasks.
func LiftTask(k Kernel) Joint { return Joint{Terms: []Term{Term{1, k, nil}.normal()}} }

// LiftArm returns arm(k), a joint kernel that compares only arms.
func LiftArm(k Kernel) Joint { return Joint{Terms: []Term{Term{1, nil, k}.normal()}} }

// LiftBoth converts a kernel that has the same meaning for tasks and arms to a joint kernel. Such kernels are constants
// and identity(), which then means the same arm of the same task. Sums, products, multiples and powers are converted part
// by part. For other kernels it returns an error, since task(k) and arm(k) differ.
func LiftBoth(k Kernel) (Joint, error) {
	switch k := k.(type) {
	case Constant:
		return Joint{Terms: []Term{{Scale: k.Value}}}, nil
	case Free:
		return LiftTask(k), nil
	case Identity:
		return Joint{Terms: []Term{{1, k, k}}}, nil
	}
	parts, err := lists.Try(len(Parts(k)), func(i int) (Joint, error) { return LiftBoth(Parts(k)[i]) })
	if err != nil {
		return Joint{}, err
	}
	switch k := k.(type) {
	case Scaled:
		return ScaleJoint(k.Scale, parts[0])
	case Power:
		return PowJoint(parts[0], k.Exponent)
	case Sum:
		return combined(parts, AddJoint), nil
	case Product:
		product := combined(parts, func(a, b Joint) Joint {
			if err == nil {
				a, err = MulJoint(a, b)
			}
			return a
		})
		return product, err
	}
	return Joint{}, fmt.Errorf("%[1]s may compare tasks or arms. Write task(%[1]s) or arm(%[1]s)", k)
}

// each returns the term with every factor that is not nil replaced by the result of f. space is "task" or "arm".
func (t Term) each(f func(space string, k Kernel) (Kernel, error)) (Term, error) {
	var err error
	if t.Task != nil {
		t.Task, err = f("task", t.Task)
	}
	if err == nil && t.Arm != nil {
		t.Arm, err = f("arm", t.Arm)
	}
	return t, err
}

// on returns the term with each factor replaced by the result of f for the factor and its points. Errors begin with "task
// kernel" or "arm kernel".
func (t Term) on(tasks, arms *Points, f func(k Kernel, p *Points) (Kernel, error)) (Term, error) {
	if err := checkScale(t.Scale); err != nil {
		return t, err
	}
	return t.each(func(space string, k Kernel) (Kernel, error) {
		made, err := f(k, map[string]*Points{"task": tasks, "arm": arms}[space])
		if err != nil {
			err = fmt.Errorf("%s kernel: %w", space, err)
		}
		return made, err
	})
}

// normal moves numeric factors of Task and Arm into Scale, and Free factors to the front of Task.
func (t Term) normal() Term {
	scale := t.Scale
	t, _ = t.each(func(_ string, k Kernel) (Kernel, error) { // f never fails here
		c, rest := split(k)
		scale *= c
		return rest, nil
	})
	t.Scale = scale
	free, task := pull(t.Task)
	ofArm, arm := pull(t.Arm)
	if free = append(free, ofArm...); len(free) > 0 {
		if task != nil {
			free = append(free, factors(task)...)
		}
		t.Task, t.Arm = free[0], arm
		if len(free) > 1 {
			t.Task = Product{free}
		}
	}
	return t
}

// union merges two lists and removes duplicates.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		all = lists.Add(all, s)
	}
	return all
}

// AddJoint returns a + b, with all constant terms merged into one.
func AddJoint(a, b Joint) Joint {
	var sum []Term
	constant := -1
	for _, t := range slices.Concat(a.Terms, b.Terms) {
		if t.Task == nil && t.Arm == nil {
			if constant >= 0 {
				sum[constant].Scale += t.Scale
				continue
			}
			constant = len(sum)
		}
		sum = append(sum, t)
	}
	return Joint{sum, union(a.Fitted, b.Fitted)}
}

// maxTerms is the largest number of terms in a product of sums.
const maxTerms = 256

// MulJoint returns a·b as a sum of terms: each term of a times each term of b, with their task factors multiplied and
// their arm factors multiplied. It returns an error for more than 256 terms, and if a free hyperparameter without a name
// would be copied.
func MulJoint(a, b Joint) (Joint, error) {
	if n := len(a.Terms) * len(b.Terms); n > maxTerms {
		return Joint{}, fmt.Errorf("this product is a sum of %d terms; %d are allowed", n, maxTerms)
	}
	if len(a.Terms) > 1 && b.anonymous() || len(b.Terms) > 1 && a.anonymous() {
		return Joint{}, errors.New("this product would copy a free hyperparameter into several terms. To keep it one number, give it a name: " +
			"free(…, name=\"a\")")
	}
	var product Joint
	for _, s := range a.Terms {
		for _, t := range b.Terms {
			term := Term{s.Scale * t.Scale, mulFactor(s.Task, t.Task), mulFactor(s.Arm, t.Arm)}.normal()
			product = AddJoint(product, Joint{Terms: []Term{term}})
		}
	}
	product.Fitted = union(a.Fitted, b.Fitted)
	return product, nil
}

func mulFactor(a, b Kernel) Kernel {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return Mul(a, b)
}

// ScaleJoint returns c·j. It returns an error unless c is finite and ≥ 0.
func ScaleJoint(c float64, j Joint) (Joint, error) {
	if err := checkScale(c); err != nil {
		return Joint{}, err
	}
	terms := slices.Clone(j.Terms)
	for i := range terms {
		terms[i].Scale *= c
	}
	return Joint{terms, j.Fitted}, nil
}

// PowJoint returns j^n as a sum of terms. For a single term, it raises the scale and both factors to the power n. It
// returns an error unless n ≥ 1, and for too many terms.
func PowJoint(j Joint, n int) (_ Joint, err error) {
	defer try.Caught(&err)
	try.To(checkExponent(n))
	if len(j.Terms) == 1 {
		t := j.Terms[0]
		t.Scale = wholePower(t.Scale, n)
		t, _ = t.each(func(_ string, k Kernel) (Kernel, error) { return Pow(k, n) }) // Pow cannot fail: the exponent was checked
		return Joint{[]Term{t.normal()}, j.Fitted}, nil
	}
	power := j
	for range n - 1 {
		power = try.Of(MulJoint(power, j))
	}
	return power, nil
}

// String prints the joint kernel as an expression of the script language.
func (j Joint) String() string {
	switch {
	case len(j.Terms) == 0:
		return "constant(0)"
	case len(j.Terms) == 1 && j.Terms[0].Task == nil && j.Terms[0].Arm == nil:
		return Constant{j.Terms[0].Scale}.String()
	}
	return strings.Join(lists.Map(j.Terms, Term.String), " + ")
}

// String prints the term. A term without factors prints as its scale.
func (t Term) String() string {
	free, task := pull(t.Task)
	factors := lists.Map(free, Kernel.String)
	if task == (Identity{}) && t.Arm == (Identity{}) {
		factors = append(factors, Identity{}.String())
	} else {
		if task != nil {
			factors = append(factors, "task("+task.String()+")")
		}
		if t.Arm != nil {
			factors = append(factors, "arm("+t.Arm.String()+")")
		}
	}
	switch {
	case len(factors) == 0:
		return number(t.Scale)
	case t.Scale != 1:
		factors[0] = number(t.Scale) + "*" + factors[0]
	}
	return strings.Join(factors, " * ")
}

// Equal reports whether two joint kernels are the same expression. Factors are compared by the function Equal.
func (j Joint) Equal(other Joint) bool {
	return slices.EqualFunc(j.Terms, other.Terms, func(s, t Term) bool {
		return s.Scale == t.Scale && equalFactor(s.Task, t.Task) && equalFactor(s.Arm, t.Arm)
	})
}

func equalFactor(a, b Kernel) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return Equal(a, b)
}

// Formulas returns the formula kernels in j in order of appearance; each name occurs once.
func (j Joint) Formulas() []Formula {
	var found []Formula
	for _, t := range j.Terms {
		found = formulas(formulas(found, t.Task), t.Arm)
	}
	return named(found)
}

// Check tests the task kernels on the tasks and the arm kernels on the arms by the function Check. If all pass, the joint
// kernel is positive semi-definite. The result has the largest Points and the largest Jitter over all factors.
func (j Joint) Check(tasks, arms *Points) (Checked, error) {
	var all Checked
	err := lists.Each(j.Terms, func(t Term) error {
		_, err := t.on(tasks, arms, func(k Kernel, p *Points) (Kernel, error) {
			c, err := Check(k, p)
			all.Points, all.Jitter = max(all.Points, c.Points), max(all.Jitter, c.Jitter)
			return k, err
		})
		return err
	})
	return all, err
}

// Smoother returns j with each kernel whose functions are not twice differentiable replaced by a smooth one with the same
// length scales. It also removes terms with identity() of arms if other terms remain. The second result reports whether
// anything changed.
func (j Joint) Smoother() (Joint, bool) {
	out, changed := Joint{Fitted: j.Fitted}, false
	for _, t := range j.Terms {
		if _, alone := t.Arm.(Identity); alone {
			changed = true
			continue
		}
		var task, arm bool
		t.Task, task = smoother(t.Task)
		t.Arm, arm = smoother(t.Arm)
		changed = changed || task || arm
		out.Terms = append(out.Terms, t)
	}
	if len(out.Terms) == 0 || !changed {
		return j, false
	}
	return out, true
}
