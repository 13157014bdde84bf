package dsl

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/report"
)

// peaked is a table of two models with three learning rates and three batch sizes. The best learning rate, 10^-2.5 and 10^-1.5, is
// between those of the table; batches of 64 are best, and a run with 128 costs four times as much as others.
func peaked() string {
	var b strings.Builder
	b.WriteString("model,lr,batch,accuracy,hours,memory\n")
	for m, name := range []string{"small", "large"} {
		for k, lr := range []float64{1e-4, 1e-3, 1e-2, 1e-1, 1} {
			for j, batch := range []int{32, 64, 128} {
				d := math.Log10(lr) - (-2.5 + float64(m))
				y := 90 - 3*d*d - math.Abs(float64(j-1)) + 0.05*float64((k+2*j)%3-1)
				fmt.Fprintf(&b, "%s,%g,%d,%.2f,%d,%d\n", name, lr, batch, y, 1+3*(j/2), batch/8)
			}
		}
	}
	return b.String()
}

// A range is refined around its best values, and what was never measured may be recommended.
func TestRefinedRange(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", peaked())
	s := NewSession(Options{Folder: folder})
	a := valuesOf(t, s, `best(problem(data="runs.csv", task="model", arm=["lr", "batch"], reward="accuracy", candidates="lr=1e-4..1 log"))`)[0].(answer.Answer)
	for k, want := range []float64{-2.5, -1.5} {
		lr := a.Picks[k].Features["lr"].(float64)
		if math.Abs(math.Log10(lr)-want) > 0.25 || a.Picks[k].Count > 0 || a.Picks[k].Features["batch"] != 64.0 {
			t.Errorf("%s: the pick is %s, and lr 10^%g is best", a.Picks[k].Task, a.Picks[k].Label, want)
		}
	}
	values := map[float64]bool{}
	for _, x := range a.Arms {
		values[x.Features["lr"].(float64)] = true
	}
	if len(values) < 20 { // the grid has 17
		t.Errorf("%d learning rates: the grid was not refined", len(values))
	}
}

// The facts of a trade are parameters of problem and best, in scripts as on the command line.
func TestFacts(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", peaked())
	written(t, folder, "options.csv", "lr,batch\n0.003,64\n0.03,64\n")
	s := NewSession(Options{Folder: folder})
	const table = `problem(data="runs.csv", task="model", arm=["lr", "batch"], reward=`
	a := valuesOf(t, s, `best(`+table+`"accuracy", candidates=["options.csv"], cost="hours"), next=12, overall=true)`)[0].(answer.Answer)
	spent := 0.0
	for _, x := range a.Next {
		spent += x.Cost
	}
	if a.Overall == nil || len(a.Overall.Options) != 17 || spent == 0 || spent > 12 {
		t.Errorf("overall %v, spent %g of 12", a.Overall, spent)
	}
	a = valuesOf(t, s, `best(`+table+`"accuracy", require="memory < 6"))`)[0].(answer.Answer)
	if a.Picks[0].Features["batch"] != 32.0 || *a.Picks[0].Feasible < 0.5 {
		t.Errorf("the pick %s needs a memory of 4, below 6", a.Picks[0].Label)
	}
	a = valuesOf(t, s, `best(`+table+`["accuracy", "hours"], goal=["max", "min"]))`)[0].(answer.Answer)
	if len(a.Pareto) == 0 || a.Pareto[0].Estimates["hours"] > 2 {
		t.Errorf("Pareto %v", a.Pareto)
	}
	a = valuesOf(t, s, `best(`+table+`["accuracy", "hours"], goal=["max", "min"], failed="batch == 64 and lr < 0.01"))`)[0].(answer.Answer)
	if x := a.Pareto[0]; x.Works == nil || *x.Works < 0.5 {
		t.Errorf("with failures, Pareto %+v", x)
	}
	for script, want := range map[string]string{
		table + `["accuracy", "hours"], goal=["max", "min", "max"])`: "goal has 3 elements, reward has 2",
		table + `"accuracy", require="memory")`:                      `require: "memory" is not a comparison`,
		table + `"accuracy", candidates="batch=1..x")`:               `"x" is not a number`,
		`best(` + table + `"accuracy"), next=3, check="lr")`:         `no option has the name "lr"`,
		`best(` + table + `"accuracy"), next=3, per_block=1)`:        `has no blocks`,
	} {
		if _, err := evalText(s, script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}

// A column of 0 and 1 that a requirement names has values in failed rows, too. In other columns, such as hours, values of failed rows
// do not count.
func TestRequireOfFailedRows(t *testing.T) {
	folder := t.TempDir()
	lines := strings.Split(strings.TrimSpace(peaked()), "\n")
	for k := range lines {
		switch {
		case k == 0:
			lines[k] += ",ok"
		case strings.Contains(lines[k], ",64,"):
			lines[k] += ",0"
		default:
			lines[k] += ",1"
		}
	}
	written(t, folder, "runs.csv", strings.Join(lines, "\n")+"\n")
	a := valuesOf(t, NewSession(Options{Folder: folder}), `p = problem(data="runs.csv", task="model", arm=["lr", "batch"], reward="accuracy",
		failed="ok == 0", require=["ok > 0.5", "hours < 100"])
p
best(p)`)
	x := a[len(a)-1].(answer.Answer)
	if x.Picks[0].Feasible == nil || *x.Picks[0].Feasible < 0.5 || x.Picks[0].Features["batch"] == 64.0 {
		t.Errorf("the pick %s is feasible with %v", x.Picks[0].Label, x.Picks[0].Feasible)
	}
	p := a[0].(*problem.Problem)
	if p.Also[1].Problem.Failed == nil {
		t.Errorf("hours of failed rows count")
	}
}

// A field book is saved as a workbook, which is read as a table.
func TestSaveFieldBook(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", peaked())
	s := NewSession(Options{Folder: folder})
	const script = `a = best(problem(data="runs.csv", task="model", arm=["lr", "batch"], reward="accuracy"), next=8)
save(field_book(a), "plan.xlsx")
field_book(a, seed=2)`
	book := valuesOf(t, s, script)[0].(report.Table)
	if len(book.Rows) != 8 || book.Columns[1].Name != "model" || book.Columns[4].Name != "accuracy" {
		t.Errorf("a book of %d rows and the columns %v", len(book.Rows), book.Columns)
	}
	data, err := os.ReadFile(filepath.Join(folder, "plan.xlsx"))
	if err != nil || !bytes.HasPrefix(data, []byte("PK")) {
		t.Fatal(err)
	}
	if _, err := evalText(s, `problem(data="plan.xlsx", task="model", arm=["lr", "batch"], reward="accuracy")`); err != nil {
		t.Errorf("the workbook cannot be read: %v", err)
	}
}

// With costs of options, a plan spends at most its total, those measurements first that gain most for their cost.
func TestPlanCosts(t *testing.T) {
	folder, text := t.TempDir(), "arm,y,hours\n"
	for k := range 24 {
		text += fmt.Sprintf("a%d,%.2f,%d\n", k%6, 10+0.1*float64(k%6)+math.Sin(float64(k*k)), []int{1, 10}[k%2])
	}
	written(t, folder, "runs.csv", text)
	s := NewSession(Options{Folder: folder})
	const script = "p = problem(data=\"runs.csv\", arm=\"arm\", reward=\"y\", cost=\"hours\")\n"
	f := valuesOf(t, s, script+"plan(p, total=40)")[0].(plan.Forecast)
	last := f.Budget.Points[len(f.Budget.Points)-1]
	if last.Cost > 40 || last.Cost < 31 || last.Samples <= last.Cost/2 || last.Loss >= f.Budget.Points[0].Loss {
		t.Errorf("%g measurements for %g hours, and a loss of %g after %g", last.Samples, last.Cost, last.Loss, f.Budget.Points[0].Loss)
	}
	d, err := report.FigureOf(f, report.PlotOptions{})
	if err != nil || d.XLabel != "cost (hours)" || d.Series[0].X[len(d.Series[0].X)-1] != last.Cost {
		t.Errorf("%v, axis %q, %v", err, d.XLabel, d.Series[0].X)
	}
	if _, err := evalText(s, "plan(p, total=40, cost=2)"); err == nil || !strings.Contains(err.Error(), `"hours" has the cost of each option`) {
		t.Error(err)
	}
}

// A field book as .pdf has all rows, and a heading on each sheet. Without Chromium the script is refused before it runs.
func TestPrintFieldBook(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", peaked())
	s := NewSession(Options{Folder: folder})
	const script = `save(field_book(best(problem(data="runs.csv", task="model", arm=["lr", "batch"], reward="accuracy"), next=60)), "plan.pdf")`
	t.Run("without Chromium", func(t *testing.T) {
		t.Setenv("CHROME_PATH", "")
		t.Setenv("PATH", folder)
		if _, err := evalText(s, script); err == nil || !strings.Contains(err.Error(), "a browser is missing") {
			t.Error(err)
		}
	})
	if _, err := chromium.Find(); err != nil {
		t.Skip(err)
	}
	valuesOf(t, s, script)
	data, err := os.ReadFile(filepath.Join(folder, "plan.pdf"))
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip(err)
	}
	text, err := exec.Command("pdftotext", "-layout", filepath.Join(folder, "plan.pdf"), "-").Output()
	if sheets := strings.Count(string(text), "\f"); err != nil || sheets < 2 || strings.Count(string(text), "accuracy") != sheets ||
		strings.Count(string(text), "small")+strings.Count(string(text), "large") != 60 || strings.Contains(string(text), "–") {
		t.Errorf("%v: %s", err, text)
	}
}

// The matrix of relatives is a parameter of problem. The answer says how much it explains, and mistakes are shown at the argument.
func TestSimilarOptions(t *testing.T) {
	folder := t.TempDir()
	var rows, matrix strings.Builder
	rows.WriteString("variety,yield\n")
	const families, size = 6, 4
	for i := range families * size {
		fmt.Fprintf(&matrix, ",V%d", i)
		for r := range 2 { // families differ, and their members hardly
			fmt.Fprintf(&rows, "V%d,%.2f\n", i, 3*math.Sin(float64(i/size))+0.3*math.Sin(float64(7*i))+0.4*math.Cos(float64(11*i+5*r)))
		}
	}
	for i := range families * size {
		fmt.Fprintf(&matrix, "\nV%d", i)
		for j := range families * size {
			switch {
			case i == j:
				matrix.WriteString(",1")
			case i/size == j/size:
				matrix.WriteString(",0.9")
			default:
				matrix.WriteString(",0")
			}
		}
	}
	written(t, folder, "trial.csv", rows.String())
	written(t, folder, "families.csv", matrix.String())
	written(t, folder, "short.csv", ",V1,V2\nV1,1,0\nV2,0,1\n")
	s := NewSession(Options{Folder: folder})
	const call = `best(problem(data="trial.csv", arm="variety", reward="yield", similar=`
	for _, similar := range []string{`"families.csv"`, `["variety=families.csv"]`} {
		a := valuesOf(t, s, call+similar+`))`)[0].(answer.Answer)
		if len(a.Similar) != 1 || a.Similar[0].Share < 0.8 || !strings.Contains(a.Basis, "similar families.csv") {
			t.Errorf("similar=%s: weights %v, basis %q", similar, a.Similar, a.Basis)
		}
	}
	for src, want := range map[string]string{
		call + `"short.csv"))`:        "short.csv: 22 options without a row",
		call + `"families.cs"))`:      `families.csv"?`,
		call + `"x=short.csv"))`:      `"x" is not a column of options`,
		call + `"trial.csv"))`:        "trial.csv",
		`problem(paper=1, similar=3)`: "similar",
	} {
		if _, err := evalText(s, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", src, err, want)
		}
	}
	if !strings.Contains(fmt.Sprint(s.sources), "families.csv") {
		t.Errorf("the sources %v lack the matrix", s.sources)
	}
}
