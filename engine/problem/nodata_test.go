package problem_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The row below the header has units only where its texts are in no other row, or it has no names; a first option that failed is one.
func TestUnitsBelowTheHeader(t *testing.T) {
	for rows, want := range map[string]bool{
		"-,-,t/ha\na,1,2\nb,2,3\n":                      true,
		",,t/ha\na,1,2\nb,2,3\n":                        true,
		"Units,g/l,t/ha\na,1,2\nb,2,3\n":                true,
		"text,text,[t/ha]\na,p,2\nb,p,3\n":              true,
		"a,p,failed\nb,p,3\nc,p,2\n":                    false,
		"a,crash,crash\nb,2,3\nc,1,2\n":                 false,
		"a,g/l,t/ha\na,1,2\nb,2,3\n":                    false,
		"a,p,failed\nb,q,3\nc,r,2\n":                    false,
		"a,1,failed\nb,2,3\nc,3,2\n":                    false,
		"option,dose,yield\na,1,2\noption,dose,yield\n": true, // a header that is repeated
		"--,---,--\na,1,2\nb,2,3\n":                     true, // a line
		"a,1,2\nb,2,3\nfarm 7: the dry year\n":          true, // a legend
		"a,1,2\nb,2,3\nc,,\n":                           false,
		"a,1,2\n* of all,,\n,,\n":                       false, // it is named
	} {
		p, err := loadText("option,dose,yield\n"+rows, problem.LoadOptions{Long: &problem.Long{Task: []string{"dose"}, Arm: []string{"option"},
			Reward: "yield"}})
		if strings.Contains(rows, "c,,") || strings.Contains(rows, "* of") {
			p, err = loadText("option,dose,yield\n"+rows, problem.LoadOptions{Long: &problem.Long{Arm: []string{"option"}, Reward: "yield"}})
		}
		if err != nil {
			t.Errorf("%q: %v", rows, err)
			continue
		}
		left := false
		for _, n := range p.Notes {
			left = left || n.Kind == problem.NoteNoData
		}
		if left != want {
			t.Errorf("%q: left out %v, want %v: %v", rows, left, want, p.Notes)
		}
	}
}

// Marks between thousands are left out if nothing else can be meant; a column may also have decimals.
func TestThousands(t *testing.T) {
	for rows, want := range map[string]float64{
		"a;1.100\nb;900\nc;1.250\n":    1100,
		"a;1.100,5\nb;2\n":             1100.5,
		"a;1.234.567\nb;2\n":           1234567,
		"a;1 100\nb;900\n":             1100,
		"a;1\u00a0100\nb;1\u202f900\n": 1100,
		"a;1'100,25\nb;900\n":          1100.25,
		"a;1.125\nb;2\nc;3.5\n":        1.125,
		"a;1.250\nb;2\n":               1.25, // typed by hand
		"a;1.125\nb;900\n":             1.125,
		"a;1.100\nb;1900\n":            1.1,
		"a,\"1,100\"\nb,900\n":         1100,
		"a,\"1,100.5\"\nb,0.5\n":       1100.5,
		"a,1.100\nb,900\n":             1.1,
		"a\t\"1,100\"\nb\t900\n":       1100,
	} {
		separator := strings.Trim(rows[1:2], "")
		p, err := loadText("option"+separator+"yield\n"+rows, problem.LoadOptions{})
		if err != nil || p.Mean[0] != want {
			t.Errorf("%q: %v, error %v, want %g", rows, p, err, want)
		}
	}
	for _, rows := range []string{"a,\"1,10\"\nb,900\n", "a,\"0,125\"\nb,2\n", "a,\"1,100\"\nb,\"2,5\"\n"} {
		if p, err := loadText("option,yield\n"+rows, problem.LoadOptions{}); err == nil {
			t.Errorf("%q: %v", rows, p.Mean)
		}
	}
}

// Words for a limit are an error where such a value may be the best, and failures on the other side.
func TestWordsForLimits(t *testing.T) {
	below := []string{"ND", "n.d.", "N. D.", "BDL", "<LOD", "LOQ", "trace", "Tr.", "not detected", "non-detect", "below LOD", "n.n.", "U", "Spuren", "undetectable"}
	above := []string{"TNTC", "OVRFLW", "over range", "Overflow", "OL", ">ULOQ", "above limit", "saturated", "too numerous to count"}
	for goal, texts := range map[string][2][]string{problem.GoalMin: {below, above}, problem.GoalMax: {above, below}} {
		for k, side := range texts {
			for _, text := range side {
				_, err := loadText("option,yield\na,1\nb,"+text+"\nc,2\n", problem.LoadOptions{Goal: goal})
				if wrong := err != nil && strings.Contains(err.Error(), "limit"); wrong != (k == 0 || strings.ContainsAny(text, "<>")) {
					t.Errorf("goal %q, %q: error %v", goal, text, err)
				}
			}
		}
	}
	for _, text := range []string{"failed", "crash", "lost", "overheated", "broken", "out of order", "underground"} {
		for _, goal := range []string{problem.GoalMin, problem.GoalMax} {
			if _, err := loadText("option,yield\na,1\nb,"+text+"\nc,2\n", problem.LoadOptions{Goal: goal}); err != nil {
				t.Errorf("goal %q, %q: %v", goal, text, err)
			}
		}
	}
}

// Sheets may be packed, and rows may end before columns that nothing needs.
func TestSheetsAsTheyCome(t *testing.T) {
	const text = "id,task,arm,reward,note\n7,a,b,1.5\n8,a,c,2,wet\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(text)) // a buffer takes it
	_ = w.Close()
	for _, data := range [][]byte{[]byte(text), packed.Bytes()} {
		s, _, err := problem.ReadSheet(t.Context(), "s.csv", data, nil, []string{"id", "reward"})
		if err != nil || len(s.Rows) != 2 || s.Rows[0].Text("reward") != "1.5" || s.Rows[0].Text("note") != "" {
			t.Errorf("error %v", err)
		}
	}
	if _, _, err := problem.ReadSheet(t.Context(), "s.csv", []byte("id,reward\n7\n"), nil, []string{"id", "reward"}); err == nil {
		t.Error("a row without its reward")
	}
}

// Totals and means among the options are named by their words or by their values; tables without such have no note.
func TestTotalsAreNamed(t *testing.T) {
	totals := func(rows string) string {
		p := try.Of(loadText("site,option,yield\n"+rows, problem.LoadOptions{Long: &problem.Long{Task: []string{"site"}, Arm: []string{"option"}, Reward: "yield"}}))
		var names []string
		for _, n := range p.Notes {
			if n.Kind == problem.NoteTotals {
				names = append(names, n.Names[1])
			}
		}
		return strings.Join(names, ",")
	}
	const two = "A,p,1.21\nA,q,5.42\nA,r,2.13\nB,p,1.34\nB,q,5.55\nB,r,2.41\n"
	for rows, want := range map[string]string{
		two:                                          "",
		two + "A,Total,9\nB,Total,8\n":               "Total",
		two + "A,x,8.76\nB,x,9.3\n":                  "x", // sums
		two + "A,x,2.92\nB,x,3.10\n":                 "x", // means
		two + "A,x,2.92\nB,x,3.30\n":                 "",
		two + "A,mean,2.92\nB,mean,3.10\n":           "mean",
		two + "A,mean,4.92\nB,mean,3.90\n":           "", // an option
		two + "all sites: ,p,1\nOverall,q,2\n":       "Overall",
		"A,p,1\nA,q,2\nA,r,3\n":                      "",
		"A,p,3\nA,q,4\nA,r,5\nB,p,3\nB,q,4\nB,r,5\n": "",
	} {
		if got := totals(rows); got != want {
			t.Errorf("%q: %q, want %q", rows, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	wrong := 0
	for range 500 {
		rows := ""
		for _, site := range "ABC" {
			for k := range 3 + rng.IntN(5) {
				rows += fmt.Sprintf("%c,o%d,%.*f\n", site, k, rng.IntN(3), 10*rng.Float64())
			}
		}
		if totals(rows) != "" {
			wrong++
		}
	}
	if wrong > 5 {
		t.Errorf("totals in %d of 500 tables without any", wrong)
	}
}
