package dsl

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Tables that others published are loaded with the call that a newcomer would type, or refused with
// place and remedy. Their sources and licences are in README.md beside them. Means were computed
// from the files by other means: Python's statistics.mean over its csv.DictReader.
func TestPublicTables(t *testing.T) {
	const own, data = "../engine/problem/testdata/public", "../notebooks/data"
	for _, c := range []struct {
		folder, call string
		want         string // tasks, arms, rows of the file, and the mean of an arm; or the error
		at           [2]string
		notes        []string // parts of the notes
	}{
		{own, `problem(data="penguins-raw.csv", task="Island", arm="Species", reward="Body Mass (g)", kernel=task(identity()) * arm(category()), noise="task")`,
			"3 tasks, 5 arms, 86 rows; 3988.64", [2]string{"Biscoe", "Adelie Penguin (Pygoscelis adeliae)"},
			[]string{"columns not used: studyName, Sample Number", `column "Species" has text. Its values are categories`, "rows without a value of Body Mass (g) do not count as measurements. There are 2, the last in line 69"}},
		{own, `problem(data="barley.csv", task="site", arm="variety", reward="yield", kernel=task(identity()) * arm(category(similarity=0.5)))`,
			"6 tasks, 60 arms, 120 rows; 41.1667", [2]string{"Waseca", "Manchuria"},
			[]string{"columns not used: year", `column "variety" has text`}},
		{own, `problem(data="suzuki.csv", task="temperature", arm=["pd_mol", "arbpin", "k3po4"], reward="yield", task_features="temperature", kernel=task(rbf(0.5)) * arm(2000 + 500*rbf(0.5)), standardize=true, noise=2)`,
			"4 tasks, 247 arms, 247 rows; 24.9", [2]string{"temperature=75.0", "pd_mol=2.0, arbpin=1.0, k3po4=2.0"}, nil},
		{own, `problem(data="suzuki-olympus.csv", task="temperature", arm=["pd_mol", "arbpin", "k3po4"], reward="yield", kernel=task(identity()) * arm(rbf(1)))`,
			"suzuki-olympus.csv:1:1: this line must have the names of the columns, but it has only numbers. Write a line with names above it", [2]string{}, nil},
		{data, `problem(data="cn_coupling_raw.csv", task="task", arm="arm", reward="reward", kernel=task(identity()) * arm(category()), noise="task")`,
			"15 tasks, 180 arms, 3600 rows; 78.675", [2]string{"3Py-I", "MTBD|tBuXPhos"},
			[]string{"columns not used: rep"}},
		{data, `problem("stroke.csv", kernel=task(rbf(0.5)) * arm(identity()), noise="sd", standardize=true)`,
			"8 tasks, 48 arms, 48 rows; 0.461538", [2]string{"66_73_alert", "aspN_hepL"}, nil},
	} {
		values, err := evalText(NewSession(Options{Folder: c.folder}), "p = "+c.call+"\np")
		if err != nil { // a table that is refused, whose want is the error
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s\n%v\nwant %s", c.call, err, c.want)
			}
			continue
		}
		p := values[0].(*problem.Problem)
		// The mean of the arm at, as the files have it.
		mean := math.NaN()
		for i := range p.N() {
			if names := p.NamesOf(i); names[0] == c.at[0] && names[1] == c.at[1] {
				mean = p.Mean[i]
			}
		}
		if got := fmt.Sprintf("%d tasks, %d arms, %d rows; %.6g", p.V(), p.N(), p.Sources[0].Rows, mean); got != c.want {
			t.Errorf("%s\n%s, want %s", c.call, got, c.want)
		}
		notes := strings.Join(lists.Map(p.Notes, problem.Note.String), "\n")
		for _, part := range c.notes {
			if !strings.Contains(notes, part) {
				t.Errorf("%s\nno note %q in\n%s", c.call, part, notes)
			}
		}
	}
}
