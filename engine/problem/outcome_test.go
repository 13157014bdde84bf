package problem_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// loadText loads a long table from a text, its arms by the column option.
func loadText(text string, opt problem.LoadOptions) (*problem.Problem, error) {
	if opt.Long == nil {
		opt.Long = &problem.Long{Arm: []string{"option"}, Reward: "yield"}
	}
	opt.Read = func(string) ([]byte, error) { return []byte(text), nil }
	return problem.Load("runs.csv", kernels.Joint{}, opt)
}

// outcomes says what was read for each option: rewards, limits with their sides, and how many failed.
func outcomes(p *problem.Problem) string {
	var words []string
	for i, name := range p.Arms.Names {
		word := name + ":"
		for _, m := range p.Rows {
			if m.Arm == i {
				word += fmt.Sprintf(" %s%g", map[int8]string{-1: "<", 1: ">"}[m.Censored], m.Reward)
			}
		}
		if p.Failed != nil && p.Failed[i] > 0 {
			word += fmt.Sprintf(" %d failed", p.Failed[i])
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// A cell of rewards is a number, a limit, a failure, or not measured. Other texts are errors with their place.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ separator, cell, want string }{
		{",", "3.5", "a: 3.5"}, {",", "TRUE", "a: 1"}, {",", "False", "a: 0"}, {",", "✓", "a: 1"}, {",", "✗", "a: 0"}, {",", "1e-3", "a: 0.001"}, {",", "\u22123.5", "a: -3.5"},

		{",", "<0.05", "a: <0.05"}, {",", "< 0.05", "a: <0.05"}, {",", "<=0.05", "a: <0.05"}, {",", "≤ 0.05", "a: <0.05"},
		{",", ">9", "a: >9"}, {",", "≥9", "a: >9"}, {",", ">= 9", "a: >9"}, {",", "<-2", "a: <-2"},
		{";", "<0,05", "a: <0.05"}, {"\t", "> 9,5", "a: >9.5"},

		{",", "failed", "a: 1 failed"}, {",", "n.d.", "a: 1 failed"}, {",", "n. d.", "a: 1 failed"}, {",", "crash", "a: 1 failed"},
		{",", "NaN", "a: 1 failed"}, {",", "nan", "a: 1 failed"}, {",", "inf", "a: 1 failed"}, {",", "-Infinity", "a: 1 failed"},
		{",", "∞", "a: 1 failed"}, {",", "#DIV/0!", "a: 1 failed"}, {",", "#VALUE!", "a: 1 failed"}, {",", "1.#IND", "a: 1 failed"},
		{",", "did not run", "a: 1 failed"}, {",", "未測定", "a: 1 failed"},

		{",", "", "a:"}, {",", "NA", "a:"}, {",", "n/a", "a:"}, {",", "#N/A", "a:"}, {",", "<NA>", "a:"}, {",", "null", "a:"},
		{",", "None", "a:"}, {",", "-", "a:"}, {",", "–", "a:"}, {",", ".", "a:"}, {",", "..", "a:"},

		{",", "12.5 g", `runs.csv:2:3: column "yield": expected a finite number, got "12.5 g"`},
		{",", "5.2 ± 0.4", `runs.csv:2:3: column "yield": expected a finite number, got "5.2 ± 0.4". Write the mean and the standard deviation in two columns, and name the second by sd= (--sd). If the measurement failed, write failed="col('yield') == '5.2 ± 0.4'" (--failed "col('yield') == '5.2 ± 0.4'")`},
		{",", "3/10", `runs.csv:2:3: column "yield": expected a finite number, got "3/10". If these are successes of trials, write them in two columns, and name these by successes= and trials= (--successes, --trials). If the measurement failed, write failed="col('yield') == '3/10'" (--failed "col('yield') == '3/10'")`},
		{",", "1:23", `runs.csv:2:3: column "yield": expected a finite number, got "1:23". If it is a duration, write it as one number, such as seconds. If the measurement failed, write failed="col('yield') == '1:23'" (--failed "col('yield') == '1:23'")`},
		{",", "3O.5", `runs.csv:2:3: column "yield": expected a finite number, got "3O.5". Write only the number, without unit or thousands separators. If the measurement failed, write failed="col('yield') == '3O.5'" (--failed "col('yield') == '3O.5'")`},
		{",", "½", `runs.csv:2:3: column "yield": expected a finite number, got "½". Write only the number`},
		{",", "error 404", `runs.csv:2:3: column "yield": expected a finite number, got "error 404"`},
		{",", "<LOD", `runs.csv:2:3: column "yield": "<LOD" says on which side of a limit`},
		{",", "<5 mg", `runs.csv:2:3: column "yield": expected a finite number, got "5 mg"`},
		{",", "1e400", `runs.csv:2:3: column "yield": expected a finite number, got "1e400"`},
	} {
		lines := []string{"option,yield", "a,@", "b,1"}
		text := strings.ReplaceAll(strings.ReplaceAll(strings.Join(lines, "\n"), ",", c.separator), "@", c.cell)
		p, err := loadText(text, problem.LoadOptions{})
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%q: error %v, want %s", c.cell, err, c.want)
			}
		default:
			if got := strings.TrimSuffix(outcomes(p), "; b: 1"); got != c.want {
				t.Errorf("%q: %s, want %s", c.cell, got, c.want)
			}
		}
	}
}

// byStatus reads conditions of the kind "status != 'ok'" and "status == 'ok'".
func byStatus(expression string, columns []string, _ []bool) (func([]any) (any, error), []string, error) {
	words := strings.Fields(expression)
	at := slices.Index(columns, words[0])
	if at < 0 {
		return nil, nil, fmt.Errorf("unknown name %s", words[0])
	}
	want := strings.Trim(words[2], "'")
	return func(row []any) (any, error) { return (row[at] == want) == (words[1] == "=="), nil }, words[:1], nil
}

// Runs that a tracker of experiments lists as failed count as failed, and running ones as not measured, whatever their value.
// Other columns of states change nothing.
func TestUnfinishedRuns(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Optuna", "number,yield,params_lr,state\n0,1,a,COMPLETE\n1,9,a,PRUNED\n2,,b,FAIL\n3,7,b,RUNNING\n4,,b,WAITING\n", "a: 1 1 failed; b: 1 failed"},
		{"Optuna's enum", "yield,params_lr,state\n1,a,TrialState.COMPLETE\n9,b,TrialState.PRUNED\n", "a: 1; b: 1 failed"},
		{"MLflow", "status,yield,params.lr\nFINISHED,1,a\nFAILED,9,a\nKILLED,8,b\nRUNNING,,b\nSCHEDULED,,b\n", "a: 1 1 failed; b: 1 failed"},
		{"W&B", "name,state,yield,config.lr\nx,finished,1,a\ny,crashed,9,a\nz,killed,8,b\nu,running,7,b\nv,preempted,,b\n", "a: 1 1 failed; b: 1 failed"},
		{"W&B page", "Name,State,yield,lr\nx,finished,1,a\ny,failed,9,b\nz,finished,8,b\n", "a: 1; b: 8 1 failed"},
		{"Ray Tune", "Trial name,status,yield,lr\nx,TERMINATED,1,a\ny,ERROR,9,b\nz,PENDING,8,b\n", "a: 1; b: 1 failed"},
		{"Ray Tune's data frame", "yield,done,config/lr\n1,True,a\n2,True,b\n9,False,b\n", "a: 1; b: 2"},
		{"no run is done", "yield,done,config/lr\n1,False,a\n2,False,b\n", "a: 1; b: 2"},
		{"a machine", "state,yield,lr\nrunning,1,a\nstopped,9,b\n", "a: 1; b: 9"},
		{"a mixed column", "state,yield,lr\nfinished,1,a\nTexas,9,b\n", "a: 1; b: 9"},
		{"all finished", "state,yield,lr\nfinished,1,a\nfinished,9,b\n", "a: 1; b: 9"},
	} {
		header, _, _ := strings.Cut(c.text, "\n")
		columns := strings.Split(header, ",")
		arm := columns[slices.IndexFunc(columns, func(name string) bool { return strings.HasSuffix(name, "lr") })]
		load := func(opt problem.LoadOptions) (*problem.Problem, error) {
			opt.Long = &problem.Long{Arm: []string{arm}, Reward: "yield"}
			return loadText(c.text, opt)
		}
		p, err := load(problem.LoadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := outcomes(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		noted := slices.ContainsFunc(p.Notes, func(n problem.Note) bool { return n.Kind == problem.NoteUnfinished })
		if noted != strings.Contains(c.want, "failed") {
			t.Errorf("%s: notes %v", c.name, p.Notes)
		}
	}
	// a state that is named has its own meaning, and a condition has the last word
	const runs = "state,yield,lr\nCOMPLETE,1,a\nPRUNED,9,a\nPRUNED,8,b\n"
	if p, err := loadText(runs, problem.LoadOptions{Long: &problem.Long{Arm: []string{"state"}, Reward: "yield"}}); err != nil || p.Failed != nil {
		t.Errorf("state as an option: %v", err)
	}
	p := try.Of(loadText(runs, problem.LoadOptions{Failed: "state == 'none'", Compile: byStatus, Long: &problem.Long{Arm: []string{"lr"}, Reward: "yield"}}))
	if got, want := outcomes(p), "a: 1 9; b: 8"; got != want {
		t.Errorf("by a condition: %s, want %s", got, want)
	}
}

// A row without a value failed if an unused column of states or errors says so. A row that waits did not, and values stay.
func TestFailedWithoutValue(t *testing.T) {
	for _, c := range []struct{ name, text, failed, want string }{
		{"states", "option,yield,status\na,1,ok\na,,OOM\nb,,oom\nb,,diverged\nc,,\nd,,planned\n", "", "a: 1 1 failed; b: 2 failed; c:; d:"},
		{"errors", "option,yield,error\na,1,\na,,CUDA out of memory\nb,,\n", "", "a: 1 1 failed; b:"},
		{"states beside values", "option,yield,status\na,1,ok\na,9,diverged\nb,,diverged\n", "", "a: 1 9; b: 1 failed"},
		{"a condition has the last word", "option,yield,status\na,1,ok\nb,,OOM\n", "status == 'none'", "a: 1; b:"},
		{"no value at all", "option,yield,status\na,,crashed\nb,,crashed\n", "", "a: 1 failed; b: 1 failed"},
		{"a column of words", "option,yield,machine\na,1,ok\nb,,OOM\n", "", "a: 1; b:"},
	} {
		p, err := loadText(c.text, problem.LoadOptions{Failed: c.failed, Compile: byStatus})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := outcomes(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Rows that failed by a condition have no value, whatever is there; an option that only failed is not measured.
func TestFailedByCondition(t *testing.T) {
	const runs = "option,yield,status\na,1,ok\na,2,ok\nb,99,crashed\nb,3,ok\nc,,crashed\nc,,crashed\nd,,planned\n"
	p := try.Of(loadText(runs, problem.LoadOptions{Failed: "status == 'crashed'", Compile: byStatus}))
	if got, want := outcomes(p), "a: 1 2; b: 3 1 failed; c: 2 failed; d:"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.Mean != nil || !math.IsNaN(p.Partial[2]) || !math.IsNaN(p.Partial[3]) || p.Partial[1] != 3 {
		t.Errorf("means %v, partial %v", p.Mean, p.Partial)
	}
	if q := p.Measured(); !slices.Equal(q.Failed, []int{0, 1}) {
		t.Errorf("of the measured arms failed %v", q.Failed)
	}
	if !hasNote(p, `column "yield": 3 measurements count as failed (by the condition failed=). The estimates do not use failures. An option that only failed is not recommended without retry=true (--retry)`) {
		t.Errorf("notes %v", p.Notes)
	}
	if q, err := loadText(runs, problem.LoadOptions{Where: "status == 'ok'", Compile: byStatus}); err != nil || q.Failed != nil ||
		!hasNote(q, "where= removes all rows of 2 of 4 options: c, d") {
		t.Errorf("error %v, notes %v", err, q.Notes)
	}
	if _, err := loadText(runs, problem.LoadOptions{Failed: "state == 'x'", Compile: byStatus}); err == nil ||
		!strings.Contains(err.Error(), `failed="state == 'x'": unknown name state`) {
		t.Errorf("error %v", err)
	}
}

// A note counts each reason, and limits turn with the sign of rewards.
func TestOutcomeNotes(t *testing.T) {
	const runs = "option,yield\na,1\na,<0.5\nb,crash\nb,>7\nb,lost\nb,crash\na,2\nb,inf\nb,<1\n"
	for _, c := range []struct{ goal, want string }{
		{problem.GoalMax, "a: 1 <0.5 2; b: >7 <1 4 failed"}, {problem.GoalMin, "a: -1 >-0.5 -2; b: <-7 >-1 4 failed"},
	} {
		p := try.Of(loadText(runs, problem.LoadOptions{Goal: c.goal}))
		if got := outcomes(p); got != c.want {
			t.Errorf("goal %q: %s, want %s", c.goal, got, c.want)
		}
		for _, want := range []string{
			`column "yield": 4 measurements count as failed (2 "crash", 1 "lost", 1 "inf"). The estimates do not use failures. An option that only failed is not recommended without retry=true (--retry). If the option was not tried, leave the cell empty`,
			`column "yield" has limits instead of some values: 2 below, 1 above`,
			"fc and fb cannot draw simulated rewards from these measurements",
		} {
			if !hasNote(p, want) {
				t.Errorf("goal %q: notes %v lack %s", c.goal, p.Notes, want)
			}
		}
		if p.Rewards != nil {
			t.Errorf("goal %q: rewards to draw from are %v", c.goal, p.Rewards)
		}
	}
}

func hasNote(p *problem.Problem, text string) bool {
	return slices.ContainsFunc(p.Notes, func(n problem.Note) bool { return strings.Contains(n.String(), text) })
}

// 0 of 0 trials, and a mean of 0 measurements, are not measured yet.
func TestNoTrials(t *testing.T) {
	counts := &problem.Long{Arm: []string{"option"}, Successes: "won", Trials: "of"}
	means := &problem.Long{Arm: []string{"option"}, Reward: "won", Count: "of"}
	for _, c := range []struct {
		long      *problem.Long
		row, want string
	}{
		{counts, "a,0,0", "a:"}, {counts, "a,,0", "a:"}, {counts, "a,NA,NA", "a:"}, {counts, "a,0,", "a:"}, {counts, "a,0,9", "a: 0"},
		{counts, "a,crash,9", "a: 1 failed"},
		{counts, "a,3,0", `runs.csv:2:5: column "of": expected a whole number of measurements from 1`},
		{counts, "a,<3,9", `runs.csv:2:3: column "won": expected a whole number of successes, got a limit`},
		{means, "a,,0", "a:"}, {means, "a,NaN,0", "a:"}, {means, "a,0,0", "a:"}, {means, "a,0.5,0", `runs.csv:2:7: column "of": expected a whole number of measurements from 1`}, {means, "a,0.5,", "a: 0.5"},
	} {
		p, err := loadText("option,won,of\n"+c.row+"\nb,1,2\n", problem.LoadOptions{Long: c.long})
		if err != nil {
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", c.row, err, c.want)
			}
			continue
		}
		if got := strings.SplitN(outcomes(p), ";", 2)[0]; got != c.want {
			t.Errorf("%s: %s, want %s", c.row, got, c.want)
		}
	}
}

// A column without any number was named by mistake, unless the condition says that all of it failed.
func TestNoNumberAtAll(t *testing.T) {
	const runs = "option,yield,status\na,crash,x\nb,crash,x\n"
	if _, err := loadText(runs, problem.LoadOptions{}); err == nil || !strings.Contains(err.Error(),
		`column "yield" has no number, only texts such as "crash"`) {
		t.Errorf("error %v", err)
	}
	p, err := loadText(runs, problem.LoadOptions{Failed: "yield == 'crash'", Compile: byStatus})
	if err != nil || outcomes(p) != "a: 1 failed; b: 1 failed" {
		t.Errorf("error %v", err)
	}
}

// Rewards that a program has in its memory are read alike: infinity failed, and NaN is an empty cell.
func TestOutcomesOfFrame(t *testing.T) {
	f := &problem.Frame{Rows: 4, Columns: []problem.FrameColumn{
		{Name: "option", Codes: []int32{0, 0, 1, 1}, Labels: []string{"a", "b"}},
		{Name: "yield", Numbers: []float64{1, math.Inf(-1), math.NaN(), 2}},
	}}
	p := try.Of(loadText("", problem.LoadOptions{Frame: func(string) *problem.Frame { return f }}))
	if got, want := outcomes(p), "a: 1 1 failed; b: 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A mean of a table with a row for every arm is read alike.
func TestOutcomesOfWideTable(t *testing.T) {
	read := func(string) ([]byte, error) {
		return []byte("task,arm,mean,reps\nt,a,1,2\nt,b,crash,1\nt,c,NaN,1\nt,d,,\nt,e,-,\nt,f,0,0\n"), nil
	}
	p := try.Of(problem.Load("arms.csv", kernels.Joint{}, problem.LoadOptions{Read: read}))
	if !slices.Equal(p.Failed, []int{0, 1, 1, 0, 0, 0}) || fmt.Sprint(p.Partial) != "[1 NaN NaN NaN NaN NaN]" ||
		!hasNote(p, `column "mean": 2 measurements count as failed (1 "crash", 1 "NaN"). The estimates do not use failures. An option that only failed is not recommended without retry=true (--retry)`) {
		t.Errorf("failed %v, means %v, notes %v", p.Failed, p.Partial, p.Notes)
	}
}

// Truth values are rewards of 0 and 1 if no number of the column is another one; beside such a number they are texts.
func TestTruthBesideNumbers(t *testing.T) {
	for _, c := range []struct{ rows, want string }{
		{"a,TRUE\na,FALSE\nb,1\nb,0", "a: 1 0; b: 1 0"},
		{"a,9.1\na,TRUE\nb,5.2\nb,5.1", "a: 9.1 1 failed; b: 5.2 5.1"},
	} {
		p, err := loadText("option,yield\n"+c.rows, problem.LoadOptions{})
		if err != nil {
			t.Errorf("%q: %v", c.rows, err)
		} else if got := outcomes(p); got != c.want {
			t.Errorf("%q: %s, want %s", c.rows, got, c.want)
		}
	}
}
