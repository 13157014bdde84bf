//go:build unix

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// measured is a table of measurements: a row for each, with the columns task, arm, x_… (numbers), c_… (codes as text),
// z_… (features of the task) and reward. Higher is better.
type measured struct {
	draft
	rewards   [][]float64 // of each cell
	posterior *posterior  // nil until it is needed
}

// readMeasured reads rows of name to value. Cells are in the order of the names of tasks and arms.
func readMeasured(rows []map[string]string, columns []string) (*measured, error) {
	first, rewards, codes := map[[2]string]map[string]string{}, map[[2]string][]float64{}, map[string][]string{}
	for _, row := range rows {
		reward, err := strconv.ParseFloat(row["reward"], 64)
		if err != nil || !finite(reward) {
			return nil, fmt.Errorf("task %q, arm %q: the reward must be a number, got %q", row["task"], row["arm"], row["reward"])
		}
		key := [2]string{row["task"], row["arm"]}
		if first[key] == nil {
			first[key] = row
		}
		rewards[key] = append(rewards[key], reward)
		for _, c := range columns {
			if strings.HasPrefix(c, "c_") && !slices.Contains(codes[c], row[c]) {
				codes[c] = append(codes[c], row[c])
			}
		}
	}
	m := &measured{}
	for _, c := range columns {
		switch {
		case strings.HasPrefix(c, "x_"):
			m.ArmColumns = append(m.ArmColumns, c)
		case strings.HasPrefix(c, "c_"):
			slices.Sort(codes[c])
			m.ArmColumns, m.categories = append(m.ArmColumns, c), append(m.categories, c)
		case strings.HasPrefix(c, "z_"):
			m.TaskColumns = append(m.TaskColumns, c)
		}
	}
	keys := slices.SortedFunc(maps.Keys(first), func(a, b [2]string) int {
		return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1])
	})
	for _, key := range keys {
		x, err := valuesOf(first[key], m.ArmColumns, codes)
		z, err2 := valuesOf(first[key], m.TaskColumns, codes)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("task %q, arm %q: %w", key[0], key[1], err)
		}
		if n := len(m.Tasks); n == 0 || m.Tasks[n-1] != key[0] {
			if m.Tasks = append(m.Tasks, key[0]); len(z) > 0 {
				m.TaskRows = append(m.TaskRows, z)
			}
		}
		r := slices.Sorted(slices.Values(rewards[key]))
		m.arm(len(m.Tasks)-1, key[1], x, stat.Mean(r, nil), math.Sqrt(stat.PopVariance(r, nil)))
		m.rewards = append(m.rewards, r)
	}
	return m, nil
}

// valuesOf returns the numbers of a row; for a column of codes, the index of the code.
func valuesOf(row map[string]string, columns []string, codes map[string][]string) ([]float64, error) {
	var out []float64
	for _, c := range columns {
		x, err := float64(slices.Index(codes[c], row[c])), error(nil)
		if codes[c] == nil {
			x, err = strconv.ParseFloat(row[c], 64)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q must hold numbers, got %q", c, row[c])
		}
		out = append(out, x)
	}
	return out, nil
}

// kind returns what the truth of the table is.
func (m *measured) kind() string {
	if slices.ContainsFunc(m.rewards, func(r []float64) bool { return len(r) < fewest }) {
		return truthDrawn
	}
	return truthResampled
}

// world returns the table as a run meets it.
func (m *measured) world(rng *rand.Rand) *world {
	if m.kind() == truthDrawn {
		return m.drawn(rng)
	}
	d := m.draft
	d.draw = func(cell int, rng *rand.Rand) float64 { return m.rewards[cell][rng.IntN(len(m.rewards[cell]))] }
	return d.world()
}

// readCSV reads the rows of a file.
func readCSV(path string) (rows []map[string]string, columns []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err == nil && len(all) == 0 {
		err = io.EOF
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	columns = all[0]
	rows = lists.Map(all[1:], func(line []string) map[string]string {
		return lists.Keyed(columns, func(c int, name string) (string, string) { return name, line[c] })
	})
	return rows, columns, nil
}

// repositoryTables returns the tables of notebooks/data.
func repositoryTables(root string) ([]table, error) {
	data := filepath.Join(root, "notebooks", "data")
	halides, err := couplings(data, "task")
	additives, err2 := couplings(data, "rep")
	stroke, err3 := strokes(data)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	const from = "notebooks/data"
	return []table{
		{"coupling", "15 aryl halides × 12 of base and ligand, yield in %", from, truthResampled, halides.of},
		{"coupling by additive", "20 additives × 12 of base and ligand, yield in % over the halides", from, truthResampled, additives.of},
		{"stroke", "8 groups of patients × 6 treatments, outcomes 0 or 1 that hardly differ", from, truthCounts,
			func(int) *world { return stroke.draft.world() }},
	}, nil
}

// of returns the table in a run, as long as nothing is drawn.
func (m *measured) of(int) *world { return m.world(nil) }

// strokes reads the table of treatments after a stroke, whose means are shares.
func strokes(data string) (*measured, error) {
	rows, columns, err := readCSV(filepath.Join(data, "stroke.csv"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		row["reward"] = row["mean"]
	}
	m, err := readMeasured(rows, columns)
	if err == nil {
		m.sd, m.draw = lists.Map(m.truth, func(p float64) float64 { return math.Sqrt(p * (1 - p)) }), m.binary()
	}
	return m, err
}

// couplings reads a table of the couplings, whose features are in one file and rewards in another. The column names the
// task of a measurement; features of the halides are kept where these are the tasks.
func couplings(data, task string) (*measured, error) {
	wide, columns, err := readCSV(filepath.Join(data, "cn_coupling.csv"))
	rows, _, err2 := readCSV(filepath.Join(data, "cn_coupling_raw.csv"))
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	cell := func(row map[string]string) string { return row["task"] + "|" + row["arm"] }
	features := lists.Keyed(wide, func(_ int, row map[string]string) (string, map[string]string) { return cell(row), row })
	columns = slices.DeleteFunc(columns, func(c string) bool {
		return !strings.HasPrefix(c, "x_") && (task != "task" || !strings.HasPrefix(c, "z_"))
	})
	for _, row := range rows {
		of := features[cell(row)]
		for _, c := range columns {
			row[c] = of[c]
		}
		row["task"] = row[task]
	}
	return readMeasured(rows, columns)
}

// packageTables returns the tables that peers/tables.py made from packages, a CSV file each in the cache, and the
// names of tables that it lists and that are not there.
func packageTables(cache string) (out []table, missing []string) {
	for _, p := range packaged {
		rows, columns, err := readCSV(filepath.Join(cache, "data", strings.ReplaceAll(p.name, " ", "-")+".csv"))
		if err != nil {
			missing = append(missing, p.name)
			continue
		}
		m, err := readMeasured(rows, columns)
		if err != nil {
			missing = append(missing, p.name+" ("+err.Error()+")")
			continue
		}
		m.logs = p.logs
		out = append(out, table{p.name, p.about, p.from, m.kind(), drawnBy(p.name, m.world)})
	}
	return out, missing
}

// inPackage describes a table of a package.
type inPackage struct {
	name, about, from string
	logs              []string
}
