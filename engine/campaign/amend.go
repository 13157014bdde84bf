package campaign

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Amend changes the protocol from the next round on, if its algorithm permits this. A value that is nil, empty or "" stays
// unchanged. An amendment that was made before for the same reason is not made again: notebook cells may be repeated.
type Amend struct {
	Epsilon    *float64 // an arm within this distance of the best is good enough, reward units
	Delta      *float64 // error probability
	Capacity   *int     // pulls in a unit of time; 0 for no limit
	Withdraw   []string // arms that can no longer be measured: "task/arm"
	Add        File     // a table with columns of the problem's table; its arms and tasks are added
	Reason, By string   // the reason, shown in the report, and the person who gives it; two changes with different reasons are different
}

var amendEntry = Entry{
	Name: "amend", Synonyms: []string{"withdraw", "change_protocol"}, New: func() Act { return new(Amend) }, Plans: true,
	Doc: "changes the protocol while it runs, from the next round on, and shows how far the campaign is. Every campaign accepts " +
		"another capacity. Algorithms that decide by a posterior (CoBayesFC) also accept another epsilon or delta, and arms that are " +
		"withdrawn or added; tests accept only the withdrawal of arms that gave no result. The same change for the same reason is made only once",
	Example: `amend("days", capacity=4, reason="a robot is away")`,
	Short:   "Change the protocol while it runs",
	Long: `Change the protocol while it runs. Every campaign accepts another capacity.
Algorithms that decide by a posterior (CoBayesFC) also accept another epsilon or
delta, and arms that are withdrawn or added. A withdrawn arm can no longer be an
answer. --add reads a table with the columns of the problem's table, and adds its
arms and tasks. Tests accept only one change: an arm that gave no result, because
it cannot be measured, may be withdrawn. For other changes, start another campaign
and attach this one's measurements to it. All changes hold from the next round on.`,
}

// withdrawHint is the hint on how to name arms in withdraw.
const withdrawHint = `write withdraw="task/arm", or withdraw=["task/arm", "task/other arm"]`

// Params implements Act.
func (a *Amend) Params() []Param {
	return []Param{
		reasonParam(&a.Reason),
		{Name: "epsilon", Synonyms: []string{"accuracy", "tolerance"}, Into: &a.Epsilon, Range: fromZero,
			Doc:  "an arm this close to the best is good enough from now on, reward units",
			Flag: "an arm within this `DISTANCE` of the best is good enough"},
		{Name: "delta", Into: &a.Delta, Range: inside, Doc: "error probability from now on", Flag: "error `PROBABILITY`"},
		{Name: "capacity", Synonyms: []string{"throughput", "wells"}, Into: &a.Capacity, Range: countsUp,
			Doc:  "pulls that the laboratory can make per unit of time from now on; 0: no limit",
			Flag: "`NUMBER` of measurements that the laboratory can make per unit of time; 0: no limit"},
		{Name: "withdraw", Synonyms: []string{"remove", "without"}, Into: &a.Withdraw, Optional: true, Hint: withdrawHint,
			Doc:  `arms that cannot be measured any more: "task/arm", or a list of these`,
			Flag: "withdraw the arm `TASK/ARM`, which cannot be measured any more (repeatable)"},
		{Name: "add", Synonyms: []string{"extend"}, Into: &a.Add, Optional: true, Hint: "rows",
			Doc:  "a CSV file of arms and tasks to add, with columns of the problem's table; the path is relative to the script",
			Flag: "add the arms and tasks of `FILE.csv`, which has the columns of the problem's table"},
		byParam(&a.By),
	}
}

// Check implements Checked.
func (a *Amend) Check() *ArgError {
	if a.Epsilon == nil && a.Delta == nil && a.Capacity == nil && len(a.Withdraw) == 0 && a.Add.Path == "" {
		return &ArgError{Text: "nothing to change: state capacity= (--capacity), epsilon= (--epsilon), delta= (--delta), " +
			"withdraw= (--withdraw) or add= (--add)"}
	}
	for _, w := range a.Withdraw {
		if !strings.Contains(w, "/") {
			return &ArgError{Param: "withdraw", Text: fmt.Sprintf("needs a task and an arm, got %q", w), Hint: withdrawHint}
		}
	}
	return nil
}

// Refusable implements the interface of this name. Algorithms with fixed tasks and arms refuse most amendments, and all
// algorithms refuse to withdraw the last arm of a task.
func (a *Amend) Refusable() {}

// Do implements Act. It compares the change with earlier amendments by the names of arms: their numbers move when arms are
// added. It grows the problem last, because this evaluates the script.
func (a *Amend) Do(ctx context.Context, at Doing) (_ Done, err error) {
	defer try.Caught(&err)
	b := AmendBody{Epsilon: a.Epsilon, Delta: a.Delta, Capacity: a.Capacity, Reason: a.Reason}
	b.Withdraw = append(b.Withdraw, lists.Map(a.Withdraw, func(w string) [2]string { return armIn(at.Protocol, w) })...)
	if a.Add.Path != "" {
		if len(a.Add.Content) == 0 {
			return Done{}, fmt.Errorf("%s is empty", a.Add.Path)
		}
		// the folder of the file exists only on this machine, and is not recorded
		b.Add = &File{Path: filepath.Base(a.Add.Path), SHA256: fmt.Sprintf("%x", sha256.Sum256(a.Add.Content)), Content: a.Add.Content}
	}
	// an earlier amendment counts even if a later one has undone it: to repeat the change, give another reason
	if slices.ContainsFunc(at.amends, func(x amendment) bool { return x.same(b) }) {
		return Done{Known: true, Text: knownBefore + ". To make the same change again, give another reason"}, nil
	}
	try.To(reasoned(b.Reason, nil))
	try.To(b.check(at.Moment))
	out := Done{}
	if b.Add != nil {
		q, g := try.Two(at.Grow(ctx, *b.Add))
		// the arms are recorded with their numbers; a later program compares its problem with the fingerprint
		b.Growth, b.Problem, out.Protocol, out.Files = &g, q.Fingerprint(), &q, []File{*b.Add}
	}
	out.Text, out.Events = "recorded: "+b.String(), []Event{NewEvent(KindAmend, at.Now, a.By, b)}
	return out, nil
}

// armIn splits "task/arm" into a task and an arm. It splits at the first slash, unless names of the problem contain
// slashes. An unknown name is also split at the first slash; check reports it later.
func armIn(p Protocol, text string) [2]string {
	task, arm, _ := strings.Cut(text, "/")
	if p.Problem.TaskNamed(task) < 0 {
		for i := range p.Problem.TaskOf {
			if names := p.Problem.NamesOf(i); strings.Join(names[:2], "/") == text {
				return [2]string(names)
			}
		}
	}
	return [2]string{task, arm}
}

// check returns an error if the change is not possible. It also sets WithdrawArms to the numbers of the withdrawn arms
// before the rows of Add are added. Comparisons have the form !(x >= 0), which rejects NaN.
func (b *AmendBody) check(at Moment) error {
	switch {
	case b.Epsilon != nil && (!(*b.Epsilon >= 0) || math.IsInf(*b.Epsilon, 0)):
		return fmt.Errorf("epsilon must be 0 or more, got %g", *b.Epsilon)
	case b.Delta != nil && !(*b.Delta > 0 && *b.Delta < 1):
		return fmt.Errorf("delta must lie strictly between 0 and 1, got %g", *b.Delta)
	case b.Capacity != nil && *b.Capacity < 0:
		return fmt.Errorf("capacity must be at least 1, or 0 for none, got %d", *b.Capacity)
	}
	for _, w := range b.Withdraw {
		i, _, err := armNamed(at.Problem, w[0], w[1])
		switch {
		case err != nil:
			return err
		case at.withdrawn(i):
			return fmt.Errorf("task %q, arm %q is already withdrawn", w[0], w[1])
		case !at.posterior() && at.counts()[i] > 0:
			return fmt.Errorf("task %q, arm %q has a result, so %s cannot withdraw it: its guarantee is about all arms that can be measured",
				w[0], w[1], at.Algorithm)
		case slices.Contains(b.WithdrawArms, i):
			return fmt.Errorf("task %q, arm %q is named twice", w[0], w[1])
		}
		b.WithdrawArms = append(b.WithdrawArms, i)
	}
	return nil
}

// decimalComma matches a comma between two digits. A person whose tables have decimal commas may write the name
// "temp=72,5", but names made of numbers have decimal points.
var decimalComma = regexp.MustCompile(`(\d),(\d)`)

// taskNamed returns the number of a task, or an error that lists some tasks.
func taskNamed(p *problem.Problem, name string) (int, error) {
	v := p.TaskNamed(name)
	if v < 0 {
		return v, fmt.Errorf("no task is called %q; there are %s", name, sentence.List(p.Tasks.Names, 8))
	}
	return v, nil
}

// armNamed returns the number of an arm. If the task or the arm does not exist, it returns an error and the column of the
// sheet ("task" or "arm") with the wrong name. If the table has decimal commas, the name may have them too.
func armNamed(p *problem.Problem, task, arm string) (i int, column string, err error) {
	v, err := taskNamed(p, task)
	if err != nil {
		return 0, "task", err
	}
	lo, hi := p.ArmsOf(v)
	names := p.Arms.Names[lo:hi]
	i = p.ArmNamed(v, arm)
	if i < 0 && p.DialectOf().DecimalCommas {
		i = p.ArmNamed(v, decimalComma.ReplaceAllString(arm, "$1.$2"))
	}
	if i < 0 {
		return 0, "arm", fmt.Errorf("task %q has no arm %q; it has %s", task, arm, sentence.List(names, 8))
	}
	return i, "", nil
}

// AmendBody changes the protocol. Fields that are nil or empty change nothing.
type AmendBody struct {
	Epsilon  *float64    `json:"epsilon,omitempty"`  // reward units
	Delta    *float64    `json:"delta,omitempty"`    // error probability
	Capacity *int        `json:"capacity,omitempty"` // pulls in a unit of time; 0 for no limit
	Withdraw [][2]string `json:"withdraw,omitempty"` // task and arm, by the names given in the act
	// numbers of the withdrawn arms before the rows of Add; in a State, their present numbers
	WithdrawArms []int   `json:"withdraw_arms,omitempty"`
	Add          *File   `json:"add,omitempty"`            // table rows that add arms and tasks
	Growth       *Growth `json:"growth,omitempty"`         // numbers of the arms after Add; nil without Add
	Problem      string  `json:"problem_sha256,omitempty"` // Protocol.Fingerprint after Add; "" without Add
	Reason       string  `json:"reason"`
}

// same reports whether two changes have the same values, arms, rows and reason. It ignores the derived fields
// (WithdrawArms, Growth, Problem) and the name of the file.
func (b AmendBody) same(x AmendBody) bool {
	return b.Reason == x.Reason && equal(b.Epsilon, x.Epsilon) && equal(b.Delta, x.Delta) && equal(b.Capacity, x.Capacity) &&
		slices.Equal(b.Withdraw, x.Withdraw) && (b.Add == nil) == (x.Add == nil) && (b.Add == nil || b.Add.SHA256 == x.Add.SHA256)
}

// equal reports whether both values are nil, or both are set and equal.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// String states what changes, without the reason.
func (b AmendBody) String() string {
	var parts []string
	if b.Epsilon != nil {
		parts = append(parts, fmt.Sprintf("epsilon is %g", *b.Epsilon))
	}
	if b.Delta != nil {
		parts = append(parts, fmt.Sprintf("delta is %g", *b.Delta))
	}
	if b.Capacity != nil {
		if parts = append(parts, fmt.Sprintf("capacity is %d", *b.Capacity)); *b.Capacity == 0 {
			parts[len(parts)-1] = "capacity has no limit"
		}
	}
	inWords := func(a [2]string) string { return fmt.Sprintf("task %q, arm %q", a[0], a[1]) }
	parts = append(parts, lists.Map(b.Withdraw, func(w [2]string) string { return inWords(w) + " is withdrawn" })...)
	if b.Growth != nil {
		arms := lists.Map(b.Growth.Added, inWords)
		parts = append(parts, fmt.Sprintf("%s added by %s: %s",
			map[bool]string{true: "1 arm is", false: fmt.Sprintf("%d arms are", len(arms))}[len(arms) == 1], b.Add.Path, sentence.List(arms, 8)))
	}
	return strings.Join(parts, "; ")
}

// fold adds the change to the state. Only the capacity changes at once. The other changes wait in amends for Replay, which
// applies them between two rounds.
func (b *AmendBody) fold(s *State, e Event) error {
	if b.Capacity != nil {
		s.Capacity = *b.Capacity
	}
	// if the algorithm had decided all tasks, Replay asks it again under the changed protocol
	s.reopened = s.done != nil
	// append first: folding the growth renumbers all arms, including those withdrawn here
	s.amends = append(s.amends, amendment{*b, e.Seq})
	if b.Add != nil {
		if b.Growth == nil {
			return errors.New("the event adds arms but does not name them")
		}
		if err := b.Growth.fold(s); err != nil {
			return err
		}
	}
	s.note(e, b.String(), b.Reason)
	return nil
}
