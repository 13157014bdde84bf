package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// trials are tables of options that were measured in several years.
type trials struct {
	name                         string
	sites, options, years, plots int
	main, site, year, all, level float64 // standard deviations: option, option × site, × year, × both; year
	gaps                         float64 // share of the plots without a value
	blocks                       bool    // whether the year is a block, too
	scale                        float64 // of the noise; 0 means 0.3
}

// table draws a table, and the expected rewards over all years.
func (x trials) table(t *testing.T, rng *rand.Rand) known {
	var text strings.Builder
	text.WriteString("site,option,year,y\n")
	truth := map[string]float64{}
	normal := func(sd float64) float64 { return sd * rng.NormFloat64() }
	main, year := make([]float64, x.options), make([]float64, x.options*x.years)
	for i := range main {
		main[i] = normal(x.main)
	}
	for k := range year {
		year[k] = normal(x.year)
	}
	noise := x.scale
	if noise == 0 {
		noise = 0.3
	}
	for s := range x.sites {
		site := normal(0.5)
		levels := make([]float64, x.years)
		for y := range levels {
			levels[y] = normal(x.level)
		}
		for i := range main {
			at := fmt.Sprintf("s%d o%d", s, i)
			truth[at] = 7 + site + main[i] + normal(x.site)
			for y, level := range levels {
				mean := truth[at] + level + year[i*x.years+y] + normal(x.all)
				for k := range x.plots {
					if y+k == 0 || rng.Float64() >= x.gaps {
						fmt.Fprintf(&text, "s%d,o%d,%d,%.6f\n", s, i, 2020+y, mean+normal(noise))
					}
				}
			}
		}
	}
	l := problem.Long{Arm: []string{"option"}, Reward: "y", Random: []string{"year"}}
	if x.sites > 1 {
		l.Task = []string{"site"}
	}
	if x.blocks {
		l.Blocks = []string{"year"}
	}
	p := try.Of(problem.Load("trials.csv", kernels.Joint{}, problem.LoadOptions{Long: &l,
		Read: func(string) ([]byte, error) { return []byte(text.String()), nil }}))
	k := known{p: p, epsilon: 0.2, truth: make([]float64, p.N())}
	for i := range k.truth {
		site := "s0"
		if x.sites > 1 {
			site = p.Tasks.Names[p.TaskOf[i]]
		}
		k.truth[i] = truth[site+" "+p.Arms.Names[i]]
	}
	return k
}

// TestRandom checks that stated probabilities and intervals hold for tables of several years in which options vary from year to year.
// TABLES= sets the number of tables of each kind.
func TestRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 70 tables")
	}
	tables := 10
	if n, err := strconv.Atoi(os.Getenv("TABLES")); err == nil {
		tables = n
	}
	var all record
	for g, x := range []trials{
		{name: "three years", sites: 1, options: 12, years: 3, plots: 3, main: 0.7, year: 0.5, level: 0.5},
		{name: "two years", sites: 1, options: 8, years: 2, plots: 4, main: 0.5, year: 0.4, blocks: true, level: 0.5},
		{name: "four years with gaps", sites: 1, options: 20, years: 4, plots: 2, main: 0.5, year: 0.7, gaps: 0.4, level: 1},
		{name: "eight years, one plot each", sites: 1, options: 6, years: 8, plots: 1, main: 0.4, year: 0.5, level: 0.5},
		{name: "no interaction", sites: 1, options: 10, years: 3, plots: 3, main: 0.3, level: 0.3},
		{name: "four sites", sites: 4, options: 15, years: 2, plots: 2, main: 0.6, site: 0.3, year: 0.4, level: 0.5},
		{name: "three sites, each by itself", sites: 3, options: 12, years: 3, plots: 2, main: 0.6, site: 0.3, all: 0.5, level: 0.5},
	} {
		if only := os.Getenv("GENERATOR"); only != "" && only != x.name {
			continue
		}
		var r record
		for k := range tables {
			table := x.table(t, rand.New(rand.NewPCG(uint64(58+g), uint64(k))))
			a, err := answer.Best(context.Background(), table.p, answer.Options{Epsilon: table.epsilon})
			if err != nil {
				t.Fatalf("%s, table %d: %v", x.name, k, err)
			}
			q := *table.p
			q.Partial = q.Means()
			table.p = &q
			r.add(table, a)
			all.add(table, a)
		}
		t.Logf("%-28s %v", x.name, &r)
	}
	t.Logf("%-28s %v", "all", &all)
	// 0.03 beside two standard errors over tables
	if stated, right := all.stated/all.picks, all.within/all.picks; math.Abs(stated-right) > 0.03+twice(all.sure) {
		t.Errorf("stated %.3f, true %.3f", stated, right)
	}
	if covered := all.pick / all.picks; covered < 0.9 {
		t.Errorf("%.3f of the picks' intervals hold the truth", covered)
	}
}

// TestRandomIsNamed checks what the answer states of random columns, with one task, several tasks, and one level.
func TestRandomIsNamed(t *testing.T) {
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(58, 1)) }
	for _, c := range []struct {
		trials
		effects []string
	}{
		{trials{sites: 1, options: 8, years: 3, plots: 2, main: 0.5, year: 0.5}, []string{"year", "option × year"}},
		{trials{sites: 1, options: 8, years: 3, plots: 2, main: 0.5, year: 0.5, blocks: true}, []string{"option × year"}},
		{trials{sites: 2, options: 8, years: 3, plots: 2, main: 0.5, year: 0.5}, []string{"site × year", "option × year", "site × option × year"}},
		{trials{sites: 1, options: 8, years: 1, plots: 2, main: 0.5}, nil},
	} {
		p := c.table(t, rng()).p
		a := try.Of(answer.Best(t.Context(), p, answer.Options{}))
		var effects []string
		for _, e := range a.Random {
			effects = append(effects, e.Name)
			if text := fmt.Sprintf("%s %.3g", e.Name, e.SD); !strings.Contains(a.Noise, text) {
				t.Errorf("noise %q does not have %q", a.Noise, text)
			}
			if e.Name == "option × year" && (e.SD < 0.25 || e.SD > 1) {
				t.Errorf("standard deviation %g, is 0.5", e.SD)
			}
		}
		if !slices.Equal(effects, c.effects) {
			t.Errorf("effects %q, want %q", effects, c.effects)
		}
		oneLevel := slices.ContainsFunc(p.Notes, func(n problem.Note) bool { return n.Kind == problem.NoteOneLevel })
		if oneLevel != (c.years == 1) {
			t.Errorf("%d years: a note on one level: %v", c.years, oneLevel)
		}
	}
}
