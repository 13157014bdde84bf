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
)

// Amend changes the protocol, if its algorithm can change, from the next round on. A value that is nil, empty or ""
// stays unchanged. The same change for the same reason is made once: a cell of a notebook that is run again makes no
// second change.
type Amend struct {
	Epsilon    *float64 // an arm this close to the best is good enough, reward units
	Delta      *float64 // error probability
	Capacity   *int     // pulls in a unit of time; 0 for any number
	Withdraw   []string // arms that cannot be measured any more: "task/arm"
	Add        File     // rows of a table with columns of the table of the problem: its arms and tasks come in
	Reason, By string   // why, which the report shows, and who states so; changes for different reasons are different changes
}

var amendEntry = Entry{
	Name: "amend", Synonyms: []string{"withdraw", "change_protocol"}, New: func() Act { return new(Amend) }, Plans: true,
	Doc: "changes the protocol while it runs, from the next round on, and shows how far the campaign is. Every campaign accepts " +
		"another capacity. Algorithms that decide by a posterior (CoBayesFC) also accept another epsilon or delta, and arms that are " +
		"withdrawn or added; tests refuse these. The same change for the same reason is made only once",
	Example: `amend("days", capacity=4, reason="a robot is away")`,
	Short:   "Change the protocol while it runs",
	Long: `Change the protocol while it runs. Every campaign accepts another capacity.
Algorithms that decide by a posterior (CoBayesFC) also accept another epsilon or
delta, and arms that are withdrawn or added. A withdrawn arm can no longer be an
answer. Rows of a table like the one of the problem add arms or tasks. Tests refuse
such changes: start another campaign and attach this one's measurements to it.
All changes hold from the next round on.`,
}

// withdrawHint states how arms are named.
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
			Flag: "`TASK/ARM` that cannot be measured any more (repeatable)"},
		{Name: "add", Synonyms: []string{"extend"}, Into: &a.Add, Optional: true, Hint: "rows",
			Doc:  "a CSV file of arms and tasks to add, with columns of the problem's table; the path is relative to the script",
			Flag: "`FILE.csv` of arms and tasks to add, with columns of the problem's table"},
		byParam(&a.By),
	}
}

// Check implements Checked.
func (a *Amend) Check() *ArgError {
	if a.Epsilon == nil && a.Delta == nil && a.Capacity == nil && len(a.Withdraw) == 0 && a.Add.Path == "" {
		return &ArgError{Text: "the act changes nothing", Hint: "state epsilon=, delta=, capacity=, withdraw= or add="}
	}
	for _, w := range a.Withdraw {
		if !strings.Contains(w, "/") {
			return &ArgError{Param: "withdraw", Text: fmt.Sprintf("needs a task and an arm, got %q", w), Hint: withdrawHint}
		}
	}
	return nil
}

// Refusable implements the interface of this name.
// Algorithms with fixed questions refuse it, and all refuse to withdraw the last arm of a task.
func (a *Amend) Refusable() {}

// Do implements Act.
// The same change is looked for first, by the names of arms and not by their numbers, which later additions move. Growing
// the problem comes last, because it evaluates the script.
func (a *Amend) Do(ctx context.Context, at Doing) (Done, error) {
	b := AmendBody{Epsilon: a.Epsilon, Delta: a.Delta, Capacity: a.Capacity, Reason: a.Reason}
	b.Withdraw = append(b.Withdraw, lists.Map(a.Withdraw, func(w string) [2]string { return armIn(at.Protocol, w) })...)
	if a.Add.Path != "" {
		if len(a.Add.Content) == 0 {
			return Done{}, fmt.Errorf("%s is empty", a.Add.Path)
		}
		// the folder of the file is of this machine alone, and is left out
		b.Add = &File{Path: filepath.Base(a.Add.Path), SHA256: fmt.Sprintf("%x", sha256.Sum256(a.Add.Content)), Content: a.Add.Content}
	}
	// a change that another one has undone since counts as made, too: the second time needs another reason
	if slices.ContainsFunc(at.amends, func(x amendment) bool { return x.same(b) }) {
		return Done{Known: true, Text: knownBefore + ". To make the same change again, give another reason"}, nil
	}
	if err := reasoned(b.Reason, nil); err != nil {
		return Done{}, err
	}
	if err := b.check(at.Moment); err != nil {
		return Done{}, err
	}
	out := Done{}
	if b.Add != nil {
		q, g, err := at.Grow(ctx, *b.Add)
		if err != nil {
			return Done{}, err
		}
		// the arms are recorded with their numbers, and the fingerprint reports whether a later program comes to the same problem
		b.Growth, b.Problem, out.Protocol, out.Files = &g, q.Fingerprint(), &q, []File{*b.Add}
	}
	out.Text, out.Events = "recorded: "+b.String(), []Event{NewEvent(KindAmend, at.Now, a.By, b)}
	return out, nil
}

// armIn returns the task and the arm of "task/arm". It is parted at the first slash, if no name has slashes of its own.
// An unknown name is parted there as well: check reports it.
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

// check returns an error for a change that is not possible, and finds the numbers of the withdrawn arms: those in force at its moment,
// before the rows of Add come in. Numbers are compared as !(x >= 0), which NaN does not pass.
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
		case slices.Contains(b.WithdrawArms, i):
			return fmt.Errorf("task %q, arm %q is named twice", w[0], w[1])
		}
		b.WithdrawArms = append(b.WithdrawArms, i)
	}
	return nil
}

// decimalComma is a comma between two digits, as in the name "temp=72,5" that a person with a table of decimal commas
// writes; names that are made of numbers have points.
var decimalComma = regexp.MustCompile(`(\d),(\d)`)

// taskNamed returns the number of a task, or an error that lists some tasks.
func taskNamed(p *problem.Problem, name string) (int, error) {
	v := p.TaskNamed(name)
	if v < 0 {
		return v, fmt.Errorf("no task is called %q; there are %s", name, sentence.List(p.Tasks.Names, 8))
	}
	return v, nil
}

// armNamed returns the number of an arm. Otherwise it reports the fault of its names, and the column of a sheet that has
// the wrong one. If the table has decimal commas, the name may have them too.
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

// AmendBody changes the protocol. Fields that are nil or empty stay.
type AmendBody struct {
	Epsilon  *float64    `json:"epsilon,omitempty"`  // reward units
	Delta    *float64    `json:"delta,omitempty"`    // error probability
	Capacity *int        `json:"capacity,omitempty"` // pulls in a unit of time; 0 for any number
	Withdraw [][2]string `json:"withdraw,omitempty"` // task and arm, by the names given
	// the numbers of the withdrawn arms before Add; in a State they are the present numbers
	WithdrawArms []int   `json:"withdraw_arms,omitempty"`
	Add          *File   `json:"add,omitempty"`            // rows of the table, of arms and tasks that are added
	Growth       *Growth `json:"growth,omitempty"`         // with Add: where the arms are then; nil without
	Problem      string  `json:"problem_sha256,omitempty"` // with Add: Protocol.Fingerprint of then
	Reason       string  `json:"reason"`
}

// same reports whether it is the same change: the same values, arms and rows for the same reason. The fields derived
// from these (WithdrawArms, Growth, Problem) do not count, nor does the name of the file.
func (b AmendBody) same(x AmendBody) bool {
	return b.Reason == x.Reason && equal(b.Epsilon, x.Epsilon) && equal(b.Delta, x.Delta) && equal(b.Capacity, x.Capacity) &&
		slices.Equal(b.Withdraw, x.Withdraw) && (b.Add == nil) == (x.Add == nil) && (b.Add == nil || b.Add.SHA256 == x.Add.SHA256)
}

// equal reports whether two values are the same, or both are not stated.
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
		parts = append(parts, fmt.Sprintf("capacity is %d", *b.Capacity))
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

// fold takes a change in. Only the capacity is in force at once. The rest waits in amends for the replay, which makes it
// between two rounds.
func (b *AmendBody) fold(s *State, e Event) error {
	if b.Capacity != nil {
		s.Capacity = *b.Capacity
	}
	// the algorithm that had all answers is asked again under the changed protocol
	s.reopened = s.done != nil
	// before the growth, which gives the arms withdrawn here their new numbers together with all others
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
