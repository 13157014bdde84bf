package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Hardness returns the view of hardness(...).
func (views) Hardness(h bounds.Hardness) view {
	return view{
		blocks: func() []Block { return hardnessBlocks(h) },
		bars:   "task",
		axes:   fixedAxes("task", "gap", "rho_alone", "weight"),
		figure: func(o PlotOptions) (Figure, error) { return hardnessFigure(h, o.Y[0]), nil },
	}
}

// Spectrum returns the view of spectrum(...).
func (views) Spectrum(s bounds.Spectrum) view {
	return view{
		blocks: func() []Block { return spectrumBlocks(s) },
		axes:   fixedAxes("index", "eigenvalue"),
		figure: func(PlotOptions) (Figure, error) { return spectrumFigure(s), nil },
	}
}

// Design returns the view of design(...).
func (views) Design(d bounds.Design) view {
	return view{
		blocks: func() []Block { return designBlocks(d) },
		axes:   fixedAxes("arm", "weight"),
		figure: func(PlotOptions) (Figure, error) { return designFigure(d), nil },
	}
}

// Problem returns the view of a problem.
func (views) Problem(p problem.Problem) view {
	return view{words: p.Words(), blocks: func() []Block { return problemBlocks(p) }}
}

// hardnessBlocks returns the blocks of hardness(...): which task is difficult, and why.
func hardnessBlocks(h bounds.Hardness) []Block {
	t := Table{
		Caption: "Difficulty of each task",
		Columns: columns("task Task", "#arms Arms", "best Best arm", "second Second", "#gap Gap [reward units]",
			"#noise Noise [reward units]", "#gap_to_noise Gap / noise", "#rho_alone ρ* alone", "#weight Share of joint pulls"),
		Rows: lists.Map(h.Rows, func(r bounds.HardnessRow) []any {
			return []any{r.Task, r.Arms, r.Best, r.Second, r.Gap, r.Noise, r.GapToNoise, r.RhoAlone, r.Weight}
		}),
	}
	lead := fmt.Sprintf("No tasks in %s.", h.Problem)
	if len(h.Rows) > 0 {
		r := slices.MaxFunc(h.Rows, func(a, b bounds.HardnessRow) int { return cmp.Compare(a.RhoAlone, b.RhoAlone) })
		lead = fmt.Sprintf("The hardest task of %s is %s: %s leads %s by %s (%s times the noise of one sample).",
			h.Problem, r.Task, r.Best, r.Second, decimal(r.Gap, 3), decimal(r.GapToNoise, 2))
	}
	return []Block{Paragraph{Text: lead, Lead: true}, t}
}

// spectrumBlocks returns the blocks of spectrum(...): how many directions of the kernel matter.
func spectrumBlocks(s bounds.Spectrum) []Block {
	above := lists.Count(s.Joint, func(x float64) bool { return x > s.Ridge })
	t := Table{
		Caption:   "Eigenvalues, largest first",
		Columns:   columns("#index Index", "#joint Joint K", "#task Tasks K_Z", "#arm Arms K_X"),
		Collapsed: len(s.Joint) > 12,
	}
	at := func(xs []float64, i int) any {
		if i < len(xs) {
			return xs[i]
		}
		return nil
	}
	for i := range max(len(s.Joint), len(s.Task), len(s.Arm)) {
		t.Rows = append(t.Rows, []any{i + 1, at(s.Joint, i), at(s.Task, i), at(s.Arm, i)})
	}
	all := max(len(s.Joint), s.Arms)
	lead := fmt.Sprintf("The effective dimension of %s is %d; %d of %s of the joint kernel exceed the ridge ξ = %s.",
		s.Problem, s.EffectiveDimension, above, plural(all, "eigenvalue"), decimal(s.Ridge, 0))
	if zeros := all - len(s.Joint); zeros > 0 {
		lead += fmt.Sprintf(" The allocation has an information gain of %s, and the largest is at most %s. It leaves %s at 0.",
			decimal(s.InformationGain, 6), decimal(s.InformationGainUpper, 6), plural(zeros, "eigenvalue"))
	}
	return []Block{Paragraph{Text: lead, Lead: true}, t.withoutEmptyColumns()}
}

// designBlocks returns the blocks of design(...): how the first round divides its pulls between arms.
func designBlocks(a bounds.Design) []Block {
	gap := "without a certified lower bound"
	if a.Lower > 0 {
		gap = fmt.Sprintf("certified to a relative gap of %s", decimal(a.Value/a.Lower-1, 2))
	}
	lead := fmt.Sprintf("The first round on %s spreads its pulls over %s; the objective is %s, %s (%s after %s).",
		a.Problem, plural(len(a.Weights), "arm"), decimal(a.Value, 6), gap, a.Status, plural(a.Iterations, "iteration"))
	t := Table{
		Caption:   "Allocation",
		Columns:   columns("task Task", "arm Arm", "#weight Share of pulls"),
		Collapsed: len(a.Weights) > 40,
		Rows:      lists.Map(a.Weights, func(w bounds.AllocationWeight) []any { return []any{w.Task, w.Arm, w.Weight} }),
		Notes:     []string{"The best allocation need not be unique; the objective is."},
	}
	return []Block{Paragraph{Text: lead, Lead: true}, t}
}

// mostKernel is the maximum number of characters of a kernel that a document shows.
const mostKernel = 1000

// matrixText matches a table(...) kernel in the text of a kernel: its matrix and the names of the rows.
var matrixText = regexp.MustCompile(`table\(\[\[[^()]*?\]\](, names=\[("(\\.|[^"\\])*"(, )?)*\])?\)`)

// shownKernel shortens the text of a kernel if it has more than mostKernel characters. It replaces each matrix by its
// size. If the text is still too long, it keeps only the beginning.
func shownKernel(text string) string {
	if len(text) > mostKernel {
		text = matrixText.ReplaceAllStringFunc(text, func(m string) string {
			return fmt.Sprintf("table(%d × %[1]d numbers)", strings.Count(m, "], [")+1)
		})
	}
	runes := []rune(text)
	if len(runes) <= mostKernel {
		return text
	}
	return fmt.Sprintf("%s… (%d characters in all; JSON has the whole kernel)", string(runes[:mostKernel]), len(runes))
}

// problemBlocks returns the blocks of a problem: size, kernel, noise and origin.
func problemBlocks(p problem.Problem) []Block {
	label := "Largest noise scale"
	if p.Noise.UnknownBy != "" {
		label = "Largest guess of a noise scale"
	}
	scales, within := p.Noise.Scales, []float64(nil)
	if len(p.Blocks) > 1 || !p.Noise.Estimated() { // estimated noise scales already show the scatter
		within = belief.Within(&p)
	}
	if len(p.Blocks) > 1 && within != nil {
		scales, label = within, label+" within blocks"
	}
	t := Table{
		Caption: "Tasks",
		Columns: []Column{
			text("task", "Task"), number("arms", "Arms", ""), number("noise", label, "reward units"),
			text("best", "Best arm"), number("mean", "Its expected reward", "reward units"),
		},
	}
	sampled := p.Long != nil // the means were computed from measurements
	if sampled {
		t.Columns[3].Title, t.Columns[4].Title = highest(p.Goal)+" mean", "Mean ± standard error"
		if within == nil && p.Noise.UnknownBy != "" {
			t.Columns[4].Title = "Mean"
		} else if within == nil && p.Noise.Bounds != nil {
			t.Columns[4].Title = "Mean ± largest possible standard error"
		}
		t.Columns = append(t.Columns, number("count", "Measured", ""))
		if within != nil {
			t.Notes = append(t.Notes, "The standard error uses the scatter of all repeated measurements, not only of this arm's.")
		}
		t.Notes = append(t.Notes, "The highest of several means is partly high by luck; best(p) recommends arms by their posterior.")
	}
	means := p.Means() // higher values are better
	for v, g := range p.Groups() {
		row, top := []any{p.Tasks.Names[v], len(g), nil, nil, nil}, -1
		for _, i := range g {
			if s, ok := row[2].(float64); !ok || scales[i] > s {
				row[2] = scales[i]
			}
			if means != nil && !math.IsNaN(means[i]) && (top < 0 || means[i] > means[top]) {
				top = i
			}
		}
		if sampled {
			row = append(row, nil)
		}
		if top >= 0 {
			row[3], row[4] = p.Arms.Names[top], p.Turned(means[top])
			if sampled {
				row[5] = p.Reps[top]
				switch {
				case within != nil:
					row[4] = MeanError{p.Turned(means[top]), within[top] / math.Sqrt(p.Reps[top])}
				case p.Noise.UnknownBy == "":
					row[4] = MeanError{p.Turned(means[top]), p.Noise.Scales[top] / math.Sqrt(p.Reps[top])}
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	lead := fmt.Sprintf("%s: %s, %s in all.", p.Name, plural(p.V(), "task"), plural(p.N(), "arm"))
	kv := KeyValues{Caption: "Problem", Items: []KeyValue{{Key: "Kernel", Value: shownKernel(p.Kernel.String())}}}
	if len(p.Tasks.Columns) > 0 {
		kv.add("Task features", problem.FeatureWords(p.Tasks))
	}
	if len(p.Arms.Columns) > 0 {
		kv.add("Arm features", problem.FeatureWords(p.Arms))
	}
	kv.add("Goal", lowest(p.Goal))
	_, noise := noiseKnown(p)
	kv.Items = append(kv.Items, KeyValue{Key: "Noise", Value: noise}, KeyValue{Key: "Simulated rewards", Value: environmentWords(p)})
	if p.KernelFittedHere() {
		kv.Items = append(kv.Items, KeyValue{Key: "The kernel is from",
			Value: "these data, by fitting: guarantees that take it as known are heuristic"})
	}
	for _, s := range p.Sources {
		kv.add("Data", fmt.Sprintf("%s, %s, SHA-256 %s", s.Path, plural(s.Rows, "row"), s.SHA256))
	}
	out := []Block{Paragraph{Text: lead, Lead: true}, kv, t.withoutEmptyColumns()}
	return append(out, lists.Map(slices.Concat(p.Notes, p.KernelNotes), func(n problem.Note) Block { return Note{Text: n.String() + "."} })...)
}
