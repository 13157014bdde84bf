package report

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

func example() *problem.Problem {
	return &problem.Problem{
		Name:    "stroke",
		Tasks:   &kernels.Points{Names: []string{"north", "south"}, ID: []int{0, 1}},
		Arms:    &kernels.Points{Columns: []string{"x_dose"}, Names: []string{"a", "b", "a"}, ID: []int{0, 1, 0}, X: [][]float64{{1, 2, 1}}},
		TaskOf:  []int{0, 0, 1},
		Kernel:  kernels.LiftTask(kernels.Identity{}),
		Noise:   problem.NoiseModel{Scales: []float64{1, 2, 0.5}},
		Mean:    []float64{-3, -1, 4},
		Sources: []problem.Source{{Path: "stroke.csv", SHA256: "ab12", Rows: 3}},
		Notes:   []problem.Note{{Kind: problem.NoteSeparator, Path: "stroke.csv", Names: []string{"\t"}}},
	}
}

// TestProblem: expected cells read off the problem above.
func TestProblem(t *testing.T) {
	var b strings.Builder
	try.To(Text(&b, Document{Displays: []Display{{Name: "p", Value: example()}}}, TextOptions{}))
	holds(t, b.String(), "stroke: 2 tasks, 3 arms in all.", "x_dose", "stroke.csv, 3 rows, SHA-256 ab12", example().Kernel.String(), "Note: stroke.csv: columns are separated by tabs.")
	var got bytes.Buffer
	try.To(CSV(&got, example()))
	if want := "task,arms,noise,best,mean\nnorth,2,2,b,-1\nsouth,1,0.5,a,4\n"; got.String() != want {
		t.Errorf("CSV\n%s want\n%s", got.String(), want)
	}
	p := example()
	p.Mean, p.Partial = nil, []float64{p.Mean[0], math.NaN(), p.Mean[2]}
	got.Reset()
	try.To(CSV(&got, p))
	if want := "task,arms,noise,best,mean\nnorth,2,2,a,-3\nsouth,1,0.5,a,4\n"; got.String() != want {
		t.Errorf("CSV with an arm that is not measured\n%s want\n%s", got.String(), want)
	}
}

func TestProblemJSON(t *testing.T) {
	var b bytes.Buffer
	try.To(JSON(&b, Document{Displays: []Display{{Name: "p", Value: example()}}}))
	holds(t, b.String(), `"type": "problem"`, `"kernel": "`+example().Kernel.String(), `"sha256": "ab12"`, `"mean": -3`, `"notes": [`)
}

// A long kernel is shown by its beginning; JSON has all of it.
func TestLongKernel(t *testing.T) {
	p := example()
	n := 60
	values := make([][]float64, n)
	for i := range values {
		values[i] = make([]float64, n)
		values[i][i] = 1
	}
	p.Kernel = kernels.LiftTask(kernels.Table{Values: values})
	whole := p.Kernel.String()
	var text, js strings.Builder
	try.To(Markdown(&text, Document{Displays: []Display{{Name: "p", Value: p}}}))
	if strings.Contains(text.String(), whole) || !strings.Contains(text.String(), "table(60 × 60 numbers)") || text.Len() > len(whole)/2 {
		t.Errorf("shows %d characters of a kernel of %d", text.Len(), len(whole))
	}
	if err := JSON(&js, Document{Displays: []Display{{Name: "p", Value: p}}}); err != nil || !strings.Contains(js.String(), whole) {
		t.Errorf("JSON lacks the kernel, error %v", err)
	}
}

// TestStandardError checks that the error of a mean comes from the measurements, also if the noise scale is a limit or a guess.
func TestStandardError(t *testing.T) {
	const repeated = "arm,y\na,94\na,98\na,96\nb,20\nb,24\nb,22\n"
	for name, c := range map[string]struct {
		table string
		noise problem.NoiseModel
		want  []string
	}{
		"bounded, repeated": {repeated, problem.NoiseModel{Bounds: &[2]float64{0, 100}}, []string{"Mean ± standard error", "96\\.0 ± 1\\.2"}},
		"repeated":          {repeated, problem.NoiseModel{}, []string{"Mean ± standard error", "96\\.0 ± 1\\.2"}},
		"bounded": {"arm,y\na,94\nb,20\nc,7\n", problem.NoiseModel{Bounds: &[2]float64{0, 100}},
			[]string{"largest\\s+possible", "9\\d ± 50"}},
		"one row each": {"arm,y\na,94\nb,20\nc,7\n", problem.NoiseModel{}, []string{"Mean\\s", "94 +1"}},
	} {
		p := try.Of(problem.Load("t.csv", kernels.LiftArm(kernels.Identity{}), problem.LoadOptions{
			Read: func(string) ([]byte, error) { return []byte(c.table), nil }, Noise: c.noise,
			Long: &problem.Long{Arm: []string{"arm"}, Reward: "y"},
		}))
		var b strings.Builder
		try.To(Text(&b, Document{Displays: []Display{{Name: "p", Value: p}}}, TextOptions{Width: 200}))
		for _, want := range c.want {
			if !regexp.MustCompile(want).MatchString(b.String()) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
}

// TestNoImportance checks that a share of 0, which was cut off, is not shown as a small positive share.
func TestNoImportance(t *testing.T) {
	table := importanceTable(answer.Answer{Importance: []answer.Importance{{Column: "speed"}}})
	if got := cell(table.Rows[0][1], 0); !strings.HasSuffix(got, "0\u00a0%") || strings.Contains(got, "<") {
		t.Errorf("a share of 0 is shown as %q", got)
	}
}
