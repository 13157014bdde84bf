package problem

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// sentencesOf returns the sentences of notes.
func sentencesOf(notes []Note) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.String())
	}
	return out
}

// The sentence of every kind of note, with the names and numbers that the constants list.
func TestNoteSentences(t *testing.T) {
	arm := []string{"oslo", "a"}
	rows := []struct {
		n    Note
		want string
	}{
		{Note{Kind: NoteLineSkipped, Path: "a.csv"}, "a.csv: line 1, above the header, is left out"},
		{Note{Kind: NoteLinesSkipped, Path: "a.csv", Numbers: []float64{3}}, "a.csv: lines 1 to 3, above the header, are left out"},
		{Note{Kind: NoteTwice, Names: []string{"lr", "lr.1"}}, `several columns are named "lr": that is the first one, and the second one is "lr.1"`},
		{Note{Kind: NoteNoData, Names: []string{"repeat the header"}, Numbers: []float64{2, 7}}, "rows that repeat the header are left out: 2, the first in line 7"},
		{Note{Kind: NoteGroups, Names: []string{"n", "1,100"}}, `column "n" has numbers such as 1,100, whose mark parts thousands and is left out`},
		{Note{Kind: NoteRowNames}, "rows have one value more than the header: the first is taken for the name of the row"},
		{Note{Kind: NoteSeparator, Path: "a.csv", Names: []string{"\t"}}, "a.csv: columns are separated by tabs"},
		{Note{Kind: NoteDecimalCommas, Path: "a.csv", Names: []string{";"}}, "a.csv: columns are separated by semicolons, numbers have decimal commas"},
		{Note{Kind: NoteThousands, Path: "a.csv", Names: []string{"1.234"}, Numbers: []float64{2}}, "a.csv: the point in 1.234 (line 2) is read as a decimal point; where points part thousands, leave them out"},
		{Note{Kind: NoteIgnored, Names: strings.Split("a b c d e f g h i j k l m n", " ")}, "columns that are not named are ignored: a, b, c, d, e, f, g, h, i, j, k, l and 2 more"},
		{Note{Kind: NoteCategories, Names: []string{"oil", "palm", "rape"}}, `column "oil" has text, which is a category, not a scale (kernel category()): palm = 0, rape = 1`},
		{Note{Kind: NoteIdentifiers, Names: []string{"batch", "08", "16"}}, `column "batch" has whole numbers with a leading zero or more than 15 digits, which are names: categories, not a scale (kernel category()): 08 = 0, 16 = 1`},
		{Note{Kind: NoteEqual, Path: "a.csv", Names: []string{"cuda", "12.1", "12.10", "13", "13.0", "13.00", "13.000"}, Numbers: []float64{2, 4}},
			`a.csv: column "cuda" has equal numbers that are written in different ways, which are one setting: 12.1 and 12.10; 13, 13.0 and 2 more; if they are names, such as versions, write text="cuda" (--text "cuda")`},
		{Note{Kind: NoteRounded, Names: []string{"dose", "0.3", "0.30000000000000004"}, Numbers: []float64{2}}, `column "dose" has numbers that are equal to 15 digits, which are one setting: 0.3 and 0.30000000000000004`},
		{Note{Kind: NoteWritten, Names: strings.Split("store 01 1 02 2 03 3 04 4 05 5", " "), Numbers: []float64{2, 2, 2, 2, 2}}, `column "store" has names that are equal as numbers and stay different names: 01 and 1; 02 and 2; 03 and 3; and 2 more; if they mean the same, write them alike`},
		{Note{Kind: NoteAlike, Names: []string{"site", "Gent", "gent"}}, `column "site": "Gent" and "gent" differ only in capital letters, blanks or the like, and are two names; if they mean the same, write them alike`},
		{Note{Kind: NoteUnseen, Names: []string{"site", "Gent\u200b", "U+200B"}, Numbers: []float64{3}}, `column "site": the name "Gent\u200b" in line 3 has the character U+200B, which cannot be seen; remove it where it is a slip`},
		{Note{Kind: NoteFailed, Names: []string{"y", "crash", "failed="}, Numbers: []float64{3, 2, 1}}, `column "y": measurements that gave no value count as failed, 3 in all: 2 "crash", 1 by failed=; leave the cell empty where nothing was measured`},
		{Note{Kind: NoteLimits, Names: []string{"y"}, Numbers: []float64{3, 0}}, `column "y": values of which only a limit is known: 3 below; each is used as a limit, and its number as a mean where one is shown`},
		{Note{Kind: NoteNotDrawn, Names: []string{"y"}}, `column "y": simulated rewards of fc and fb are not drawn from these measurements, because the values beyond a limit are not known; they scatter by the noise scale`},
		{Note{Kind: NoteNoOption, Names: []string{"a", "b"}, Numbers: []float64{2, 7}}, "options that have no row left by where=, 2 of 7: a, b"},
		{Note{Kind: NoteTotals, Names: []string{"option", "Total", "col('option') != 'Total'"}}, `"Total" in column "option" looks like a total or a mean of other rows, and counts as one of its own. If it summarises others, leave it out: where="col('option') != 'Total'"`},
		{Note{Kind: NoteSums, Names: []string{"y", "n"}}, `column "y" grows with "n" as sums do, and is read as means: if it holds sums, write reward="col('y') / col('n')"`},
		{Note{Kind: NoteSuccesses, Names: []string{"y", "n"}}, `all values of "y" are whole numbers from 0 to "n". They are read as means. If they count successes, write successes="y", trials="n" in place of reward and count`},
		{Note{Kind: NoteCopies, Names: []string{"lines 4 to 5 repeat lines 2 to 3"}, Numbers: []float64{2, 4}}, "2 of 4 rows repeat others in every column and count once: lines 4 to 5 repeat lines 2 to 3. Such rows are copies sooner than measurements. If they are real measurements, add a column that tells them apart, such as a number for each row"},
		{Note{Kind: NoteRepeats, Names: []string{"line 3 repeats line 2"}, Numbers: []float64{1, 4}}, "1 of 4 rows repeats another in every column: line 3 repeats line 2. It counts as a measurement; if it is a copy, delete it"},
		{Note{Kind: NoteNoReward, Names: []string{"yield"}, Numbers: []float64{2, 17}}, "rows without a value of yield are not counted as measurements: 2, the last in line 17"},
		{Note{Kind: NoteDropped, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{2, 9}}, `arms that are not measured are left out, 2 of 9: task "oslo", arm "a", task "rome", arm "b"`},
		{Note{Kind: NoteDropped, Names: strings.Split("o a o b o c o d", " "), Numbers: []float64{40, 90}}, `arms that are not measured are left out, 40 of 90: task "o", arm "a", task "o", arm "b", task "o", arm "c" and 37 more`},
		{Note{Kind: NoteUnmeasured, Names: arm, Numbers: []float64{1, 9}}, `task "oslo", arm "a" is not measured; fit and bounds go by the others, fc and fb cannot simulate what is not: measure it, or write unmeasured="drop" to go on without it`},
		{Note{Kind: NoteInferred, Names: arm, Numbers: []float64{2, 9}}, `task "oslo", arm "a" and 1 more of 9 arms are not measured: simulated runs draw ` +
			`expected rewards there from what other measurements say, and fit and bounds go by these; unmeasured="drop" goes on without`},
		{Note{Kind: NoteBlocks, Names: []string{"week", "oven"}}, `measurements of the same week, oven share an effect, which best takes out and algorithms take ` +
			`for noise; protocol(..., block="week") compares arms within it`},
		{Note{Kind: NoteCandidates, Numbers: []float64{8}}, "nothing is measured yet of which of the 8 options is better: the kernel is what is likely of such columns, and CoBayesFB learns it in the run; kernel= states what you know. protocol(...) and campaign start say what to measure first"},
		{Note{Kind: NoteOnce, Names: arm, Numbers: []float64{3, 9}}, `task "oslo", arm "a" and 2 more of 9 arms are measured once, so simulated rewards are not drawn from those measured but scatter by the noise scale; expected rewards keep the noise of that measurement, so the best of many such arms is best by luck in part`},
		{Note{Kind: NotePooled, Names: arm, Numbers: []float64{9, 9}}, "all arms are without a standard deviation: one pooled from the other arms of the task is used (from all tasks where the task has none)"},
		{Note{Kind: NoteNoNoise}, "nothing says how far rewards scatter, so the noise scale is unknown and is estimated while sampling, by algorithms that can; noise= or a column sd states it"},
		{Note{Kind: NoteCodes, Names: []string{"rbf", "oil"}}, `rbf reads column "oil", whose numbers are codes of text in no order; name the other columns in dims= of rbf, and multiply by category(dims="oil")`},
		{Note{Kind: NoteLongScale, Names: []string{"rbf", "x_t"}, Numbers: []float64{30, 1, 0, 1, 150, 210}}, `the length scale 30 of rbf is more than 20 times the range of column "x_t", 1 (0 to 1, which are 150 to 210 in the units of the data): to the kernel all its values are nearly the same`},
		{Note{Kind: NoteShortScale, Names: []string{"rbf", "x_t"}, Numbers: []float64{1, 30, 150, 210}}, `the length scale 1 of rbf is less than a twentieth of the smallest step of column "x_t", 30 (values 150 to 210): to the kernel no two of its values are alike`},
		{Note{Kind: NoteAdmitsAll, Numbers: []float64{36}}, `the kernel admits every truth on these 36 arms, so CoTestFC and CoKernelFC gain nothing by it over identity(); what helps is a bound on the norm (norm=) for CoTestFC, or CoBayesFC or CoBayesFB with xi="gp", which go by what the kernel calls likely, or a kernel of lower rank (fewer terms, no identity(), longer length scales)`},
		{Note{Kind: NoteUnrelated, Numbers: []float64{36}}, "the kernel takes these 36 arms for unrelated, as identity() does: no method gains by it; longer length scales, or a kernel of lower rank such as linear(), relate them"},
		{Note{Kind: NoteRough, Numbers: []float64{0.1, 600, 9683, 600, 10000, 300, 0.4567}}, "at an accuracy of 0.1 the kernel tells 600 to 9683 directions apart (counted on 600 of the 10000 arms, drawn at random): each has to be sampled, and memory and time grow with their number; 300 directions are left at an accuracy of about 0.46"},
		{Note{Kind: NoteRoughKernel, Names: []string{"arm(rbf(1))"}, Numbers: []float64{76}}, "a smoother kernel with the same length scales, arm(rbf(1)), tells about 76 directions apart there"},
		{Note{Kind: "something else"}, "something else"},
	}
	said := map[NoteKind]bool{}
	for _, r := range rows {
		said[r.n.Kind] = true
		if got := r.n.String(); got != r.want {
			t.Errorf("%q:\n%s\nwant\n%s", r.n.Kind, got, r.want)
		}
		_ = Note{Kind: r.n.Kind}.String() // does not panic without names and numbers
	}
	f, err := parser.ParseFile(token.NewFileSet(), "note.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if kinds++; !said[NoteKind(strings.Trim(lit.Value, `"`))] {
				t.Errorf("no sentence of %s is tested", spec.Names[0])
			}
		}
		return true
	})
	if kinds != len(noteSentences) {
		t.Errorf("%d kinds and %d sentences", kinds, len(noteSentences))
	}
}
