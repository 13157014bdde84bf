package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// block has a measurement of each of eight options, in digits that repeat seldom.
const block = `A,r1,150,41.5
A,r2,150,42.3
A,r1,180,38.2
A,r2,180,37.1
B,r1,150,33.9
B,r2,150,33.2
B,r1,180,30.2
B,r2,180,31.0
`

// loaded reads a long table with these rows, and returns the rows that count with the notes on rows that repeat others.
func loaded(t *testing.T, header, rows string, l Long) (counted int, notes []Note) {
	t.Helper()
	p := try.Of(Load("runs.csv", kernels.Joint{}, LoadOptions{Long: &l,
		Read: func(string) ([]byte, error) { return []byte(header + "\n" + rows), nil }}))
	for _, n := range p.Notes {
		if n.Kind == NoteCopies || n.Kind == NoteRepeats || n.Kind == NoteNearCopies {
			notes = append(notes, n)
		}
	}
	return len(p.Rows), notes
}

// Rows that were pasted again count once, in any order and in part; rows that a column tells apart, and what repeats by chance, do not.
func TestCopiesCountOnce(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(block, "\n"), "\n")
	lines[7] += "\n"
	shuffled := slices.Clone(lines)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	withNumbers := func(rows string) (out string) {
		for k, line := range strings.Fields(rows) {
			out += fmt.Sprintf("%s,%d\n", line, k+1)
		}
		return out
	}
	numbered := withNumbers(block + block)
	fine := strings.NewReplacer("41.5", "41.513", "42.3", "42.284", "38.2", "38.217", "37.1", "37.08", "33.9", "33.941", "33.2", "33.156",
		"30.2", "30.222", "31.0", "30.978").Replace(block)
	rounded := func(rows string, digits int) (out string) {
		for _, line := range strings.Fields(rows) {
			at := strings.LastIndex(line, ",") + 1
			v, _ := strconv.ParseFloat(line[at:], 64)
			out += fmt.Sprintf("%s%.*f\n", line[:at], digits, v)
		}
		return out
	}
	replicates := func(again int, f func(rng *rand.Rand, mean float64) string) string {
		text, rng := "", rand.New(rand.NewPCG(2, 2))
		for k := range 10 {
			for range again {
				text += fmt.Sprintf("A,r%d,150,%s\n", k, f(rng, float64(k)))
			}
		}
		return text
	}
	measured := replicates(2, func(rng *rand.Rand, mean float64) string { return fmt.Sprintf("%.2f", 20+mean+rng.NormFloat64()) })
	of := strings.SplitAfter(measured, "\n")
	for _, c := range []struct {
		name, header, rows string
		counted            int
		want               string // of the only note; "" for none
	}{
		{"once", "line,resin,temp,output", block, 8, ""},
		{"pasted twice", "line,resin,temp,output", block + block, 8,
			"8 of 16 rows repeat others in every column and count once: lines 10 to 17 repeat lines 2 to 9"},
		{"pasted thrice", "line,resin,temp,output", block + block + block, 8, "16 of 24 rows repeat others in every column and count once"},
		{"in another order", "line,resin,temp,output", block + strings.Join(shuffled, ""), 8, "8 of 16 rows"},
		{"in part", "line,resin,temp,output", block + strings.Join(lines[2:6], ""), 8, "lines 10 to 13 repeat lines 4 to 7"},
		{"one row", "line,resin,temp,output", block + lines[3], 9, "1 of 9 rows repeats another in every column: line 10 repeats line 5"},
		{"replicates, all of it", "line,resin,temp,output", measured + measured, 20, "20 of 40 rows"},
		{"replicates, six rows", "line,resin,temp,output", measured + strings.Join(of[10:16], ""), 20, "6 of 26 rows"},
		{"replicates, one row", "line,resin,temp,output", measured + of[10], 21, "1 of 21 rows repeats another in every column: line 22 repeats line 12"},
		{"a number for each row", "line,resin,temp,output,run", numbered, 16, "8 of 16 rows repeat others in option and value, though not in every " +
			"column or digit: lines 10 to 17 repeat lines 2 to 9. They count as measurements"},
		{"rounded", "line,resin,temp,output", fine + rounded(fine, 1), 16, "lines 10 to 17 repeat lines 2 to 9"},
		{"whole numbers, which may agree", "line,resin,temp,output", fine + rounded(fine, 0), 16, ""},
		{"rounded, in part", "line,resin,temp,output", fine + strings.Join(strings.SplitAfter(rounded(fine, 1), "\n")[2:6], ""), 12, "lines 10 to 13 repeat lines 4 to 7"},
		{"rounded, and then in full", "line,resin,temp,output", rounded(fine, 1) + fine, 16, "lines 10 to 17 repeat lines 2 to 9"},
		{"floats with few and with more digits", "line,resin,temp,output", "A,r1,1,1.5\nA,r1,1,1.52\nA,r2,1,2.5\nA,r2,1,2.47\nA,r3,1,3.5\nA,r3,1,3.53\n", 6, ""},
		{"rounded and numbered", "line,resin,temp,output,run", withNumbers(measured + rounded(measured, 1)), 40, "lines 22 to 41 repeat lines 2 to 21"},
		{"measured twice and numbered", "line,resin,temp,output,run", withNumbers(measured), 20, ""},
		{"row numbers without a name", "line,resin,temp,output,", numbered, 8, "8 of 16 rows"},
		{"successes", "line,resin,temp,output", replicates(12, func(rng *rand.Rand, mean float64) string {
			return map[bool]string{true: "1", false: "0"}[rng.Float64() < mean/10]
		}), 120, ""},
		{"scores", "line,resin,temp,output", replicates(6, func(rng *rand.Rand, mean float64) string {
			return fmt.Sprint(min(max(math.Round(1+mean/3+rng.NormFloat64()), 1), 5))
		}), 60, ""},
		{"scores, all alike", "line,resin,temp,output", "A,r1,1,5\nA,r1,1,5\nA,r1,1,5\nA,r2,1,3\nA,r2,1,3\nA,r2,1,3\nA,r3,1,2\nA,r3,1,2\n", 8, "5 of 8 rows repeat others in every column: "},
		{"zeros", "line,resin,temp,output", "A,r1,1,0\nA,r1,1,0\nA,r1,1,0\nA,r2,1,0\nA,r2,1,0\nA,r2,1,12.3\nA,r3,1,41.5\nA,r3,1,40.2\n", 8, ""},
		{"small units", "line,resin,temp,output", strings.ReplaceAll(block+block, "\n", "e-12\n"), 8, "8 of 16 rows"},
		{"large units", "line,resin,temp,output", strings.ReplaceAll(block+block, "\n", "e12\n"), 8, "8 of 16 rows"},
	} {
		counted, notes := loaded(t, c.header, c.rows, Long{Task: []string{"line"}, Arm: []string{"resin", "temp"}, Reward: "output"})
		if counted != c.counted || (len(notes) > 0) != (c.want != "") || len(notes) > 1 || c.want != "" && !strings.Contains(notes[0].String(), c.want) {
			t.Errorf("%s: %d rows count, want %d; notes %v, want %q", c.name, counted, c.counted, notes, c.want)
		}
	}
}

// Tables without copies keep all of their rows: noise that is small or large beside the digits, many and few replicates, values over
// several orders of magnitude.
func TestRepeatsByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	tables, wrong := 0, 0
	for _, noise := range []float64{0.3, 1, 3, 30} { // in steps of the last digit
		for _, options := range []int{4, 12, 60} {
			for _, again := range []int{2, 3, 8} {
				for _, scale := range []string{"plain", "decades", "counts"} {
					for range 3 {
						var option []int32
						var value []float64
						for k := range options {
							mean := 30 * noise * rng.NormFloat64()
							for range again {
								v := math.Round(mean + noise*rng.NormFloat64())
								switch scale {
								case "decades":
									v = math.Exp(float64(k%7) + 0.1*noise*rng.NormFloat64())
									digits := math.Pow(10, 1-math.Floor(math.Log10(v)))
									v = math.Round(v*digits) / digits
								case "counts":
									v = math.Max(0, math.Round(float64(k%9)+math.Sqrt(float64(k%9))*rng.NormFloat64()))
								}
								option, value = append(option, int32(k)), append(value, v)
							}
						}
						if again%2 == 1 { // the options in turn, repeated as blocks
							order := indices.All(len(value))
							slices.SortStableFunc(order, func(a, b int) int { return a%again - b%again })
							option, value = indices.Of(option, order), indices.Of(value, order)
						}
						sure := slices.Concat(newRepeats(option, pairsOf(option, value), value).copies(), roundedRows(option, value).copies())
						if tables++; len(sure) > 0 {
							wrong++
							t.Logf("noise %g, %d options, %d each, %s: %d of %d rows are taken for copies", noise, options, again, scale, len(sure), len(value))
						}
					}
				}
			}
		}
	}
	if wrong > tables/20 {
		t.Errorf("rows are taken for copies in %d of %d tables without any", wrong, tables)
	}
}

// Rows that a wide table or a file of raw rewards has twice count once; a row that differs is an error as before.
func TestCopiesOfWideTables(t *testing.T) {
	table, rewards := "task,arm,mean\na,b,1.5\na,c,2.5\na,b,1.5\n", "task,arm,rep,reward\na,b,1,1\na,b,2,2\na,c,1,2\na,c,2,3\na,b,1,1\na,b,2,2\n"
	files := map[string]string{"p.csv": table, "r.csv": rewards}
	p := try.Of(Load("p.csv", kernels.Joint{}, LoadOptions{Rewards: "r.csv", Read: func(path string) ([]byte, error) { return []byte(files[path]), nil }}))
	said := strings.Join(sentencesOf(p.Notes), "\n")
	if p.N() != 2 || len(p.Rewards[0]) != 2 || !strings.Contains(said, "1 of 3 rows repeats another") || !strings.Contains(said, "lines 6 to 7 repeat lines 2 to 3") {
		t.Errorf("%d arms, rewards %v, notes %s", p.N(), p.Rewards, said)
	}
}

// Whole numbers up to the column of counts ask whether they are successes; means do not.
func TestSuccessesAreAsked(t *testing.T) {
	for rows, want := range map[string]bool{
		"A,r1,1,12,40\nA,r2,1,31,44\nA,r3,1,0,38\n":        true,
		"A,r1,1,0.3,40\nA,r2,1,0.7,44\nA,r3,1,0,38\n":      false,
		"A,r1,1,120,40\nA,r2,1,310,44\nA,r3,1,90,38\n":     false,
		"A,r1,1,1,1\nA,r2,1,0,1\nA,r3,1,1,1\nA,r3,1,0,1\n": false,
	} {
		p := try.Of(Load("runs.csv", kernels.Joint{}, LoadOptions{Long: &Long{Arm: []string{"resin"}, Reward: "output", Count: "n"},
			Read: func(string) ([]byte, error) { return []byte("line,resin,temp,output,n\n" + rows), nil }}))
		if asked := slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == NoteSuccesses }); asked != want {
			t.Errorf("%q: asked %v, want %v", rows, asked, want)
		}
	}
}

// A table of a program's memory is read as a file is: a frame that was appended to itself counts once.
func TestCopiesInFrames(t *testing.T) {
	var arms []int32
	var values []float64
	for range 2 {
		for k, v := range []float64{41.5, 42.3, 38.2, 37.1} {
			arms, values = append(arms, int32(k)), append(values, v)
		}
	}
	f := &Frame{Rows: 8, Columns: []FrameColumn{{Name: "arm", Codes: arms, Labels: []string{"a", "b", "c", "d"}}, {Name: "y", Numbers: values}}}
	for _, index := range []bool{false, true} {
		if index { // rows that are numbered are told apart
			f.Columns = append(f.Columns, FrameColumn{Name: "index", Numbers: []float64{0, 1, 2, 3, 4, 5, 6, 7}, Whole: true})
		}
		p, err := Load("frame", kernels.Joint{}, LoadOptions{Long: &Long{Arm: []string{"arm"}, Reward: "y"}, Frame: func(string) *Frame { return f }})
		if want := map[bool]int{false: 4, true: 8}[index]; err != nil || len(p.Rows) != want {
			t.Errorf("index %v: %d rows count, want %d; error %v", index, len(p.Rows), want, err)
		}
	}
}
