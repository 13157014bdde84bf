package answer_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// unit is the unit and the zero point in which rewards are written.
type unit struct{ factor, offset float64 }

func (u unit) of(y float64) float64 { return u.factor*y + u.offset }

// units lists the units. The same table has the same answer in each, to rounding. An offset costs digits of the rewards, so random draws
// differ within their random error.
var units = []struct {
	unit
	probability, estimate float64 // tolerances; of the estimate in half intervals
}{
	{unit{1e-12, 0}, 1e-6, 1e-6}, {unit{1e12, 0}, 1e-6, 1e-6}, {unit{1, 1e9}, 0.05, 0.1},
}

// alike compares an answer with the one of the same table in another unit. Recommendations may differ if estimates agree to the
// tolerance.
func alike(t *testing.T, name string, u unit, probability, estimate float64, want, got *answer.Answer) {
	t.Helper()
	if want.Scatter.Kind != got.Scatter.Kind {
		t.Errorf("%s in unit %v: the scatter is %q, want %q", name, u, got.Scatter.Kind, want.Scatter.Kind)
	}
	for v, x := range want.Picks {
		y := got.Picks[v]
		half := (u.of(x.CI95[1]) - u.of(x.CI95[0])) / 2
		other, _ := lists.First(want.Arms, func(a answer.Arm) bool { return a.Task == y.Task && a.Arm == y.Arm })
		if x.Arm != y.Arm && math.Abs(u.of(other.Estimate)-u.of(x.Estimate)) > estimate*half {
			t.Errorf("%s in unit %v, task %s: pick %s with probability %.3f, want %s with %.3f", name, u, x.Task, y.Arm, y.Within, x.Arm, x.Within)
		}
		if math.Abs(x.Within-y.Within) > probability || math.Abs(y.Estimate-u.of(x.Estimate)) > estimate*half {
			t.Errorf("%s in unit %v, task %s: probability %.6f, estimate %g; want %.6f, %g ± %g",
				name, u, x.Task, y.Within, y.Estimate, x.Within, u.of(x.Estimate), half)
		}
	}
}

// TestUnitsOfKnownTables checks that a table with known truth has the same answer in every unit.
func TestUnitsOfKnownTables(t *testing.T) {
	for g, gen := range generators {
		if slices.Contains([]string{"treatments, 0 or 1", "small counts"}, gen.name) { // counts have no unit
			continue
		}
		slow := slices.Contains([]string{"1,000 arms", "1,000 arms of their own", "hyper-parameters, minimised"}, gen.name)
		if slow && testing.Short() {
			continue
		}
		t.Run(gen.name, func(t *testing.T) {
			t.Parallel()
			best := func(u unit) *answer.Answer {
				k := gen.table(rand.New(rand.NewPCG(uint64(300+g), 1)))
				p := *k.p
				p.Partial, p.Noise.SD, p.Rows = slices.Clone(p.Partial), slices.Clone(p.Noise.SD), slices.Clone(p.Rows)
				turned := u.offset
				if p.Goal == problem.GoalMin {
					turned = -turned
				}
				for i := range p.Partial {
					p.Partial[i], p.Noise.SD[i] = u.factor*p.Partial[i]+turned, u.factor*p.Noise.SD[i]
				}
				for i := range p.Rows {
					p.Rows[i].Reward = u.factor*p.Rows[i].Reward + turned
				}
				return try.Of(answer.Best(t.Context(), &p, answer.Options{Epsilon: k.epsilon * u.factor}))
			}
			want := best(unit{1, 0})
			for _, u := range units {
				if u.factor == 1e-12 || !slow && (u.offset != 0 || !testing.Short()) {
					alike(t, gen.name, u.unit, u.probability, u.estimate, want, best(u.unit))
				}
			}
		})
	}
}

// TestUnitsOfTables checks that the example tables have the same answer in every unit, starting from the file.
func TestUnitsOfTables(t *testing.T) {
	const own, tables, public = "../../notebooks/data", "../problem/testdata/tables", "../problem/testdata/public"
	for _, x := range []struct {
		folder, file string
		slow         bool
		long         problem.Long
	}{
		{own, "pilot-runs.csv", false, problem.Long{Task: []string{"Halide"}, Arm: []string{"Base", "Ligand"}, Reward: "Yield (%)"}},
		{own, "cn_coupling_raw.csv", true, problem.Long{Task: []string{"task"}, Arm: []string{"arm"}, Reward: "reward"}},
		{tables, "single-replicates.csv", false, problem.Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "throughput"}},
		{tables, "pilot-gaps.csv", false, problem.Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "throughput"}},
		{tables, "summaries.csv", false, problem.Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "mean_throughput", SD: "std dev", Count: "n"}},
		{own, "coupling-runs.csv", true, problem.Long{Task: []string{"Halide"}, Arm: []string{"Base", "Ligand"}, Reward: "Yield (%)"}},
		{public, "suzuki.csv", true, problem.Long{Task: []string{"temperature"}, Arm: []string{"pd_mol", "arbpin", "k3po4"}, Reward: "yield"}},
		{public, "penguins-raw.csv", true, problem.Long{Task: []string{"Island"}, Arm: []string{"Species"}, Reward: "Body Mass (g)"}},
		{public, "barley.csv", true, problem.Long{Task: []string{"site"}, Arm: []string{"variety"}, Reward: "yield"}},
	} {
		t.Run(x.file, func(t *testing.T) {
			if x.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			t.Parallel()
			file := try.Of(os.Open(filepath.Join(x.folder, x.file)))
			defer file.Close()
			r := csv.NewReader(file)
			r.FieldsPerRecord, r.Comment = -1, '#'
			if strings.HasSuffix(x.file, "-runs.csv") { // with decimal commas
				r.Comma = ';'
			}
			rows := try.Of(r.ReadAll())
			reward, sd := slices.Index(rows[0], x.long.Reward), slices.Index(rows[0], x.long.SD)
			best := func(u unit) *answer.Answer {
				path := filepath.Join(t.TempDir(), "table.csv")
				out := try.Of(os.Create(path))
				w := csv.NewWriter(out)
				for k, row := range rows {
					row = slices.Clone(row)
					for c, by := range map[int]unit{reward: u, sd: {u.factor, 0}} {
						if c < 0 || k == 0 {
							continue
						}
						if y, err := strconv.ParseFloat(strings.ReplaceAll(row[c], ",", "."), 64); err == nil {
							row[c] = fmt.Sprint(by.of(y))
						}
					}
					_ = w.Write(row)
				}
				w.Flush()
				_ = out.Close()
				long := x.long
				p := try.Of(problem.Load(path, kernels.Joint{}, problem.LoadOptions{Long: &long}))
				return try.Of(answer.Best(t.Context(), p, answer.Options{}))
			}
			want := best(unit{1, 0})
			for _, u := range units {
				if u.offset != 0 || u.factor == 1e-12 || !x.slow {
					alike(t, x.file, u.unit, u.probability, u.estimate, want, best(u.unit))
				}
			}
		})
	}
}
