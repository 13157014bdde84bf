package problem

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// million is a frame of two columns of numbers, one of texts and one of measurements.
func million(rows int) *Frame {
	draw := rand.New(rand.NewPCG(1, 2))
	f := &Frame{Rows: rows, Hash: "of the test", Columns: []FrameColumn{
		{Name: "Machine", Codes: make([]int32, rows), Labels: []string{"M1", " M2", "M3", "M4"}},
		{Name: "Temp", Numbers: make([]float64, rows), Whole: true},
		{Name: "Speed; m/s", Numbers: make([]float64, rows)},
		{Name: "Throughput", Numbers: make([]float64, rows)},
	}}
	for r := range rows {
		f.Columns[0].Codes[r] = int32(draw.IntN(4))
		f.Columns[1].Numbers[r] = float64(20 + 5*draw.IntN(12))
		f.Columns[2].Numbers[r] = float64(draw.IntN(5)) / 4
		f.Columns[3].Numbers[r] = 50 + 5*draw.NormFloat64()
	}
	return f
}

var joint = kernels.Joint{Terms: []kernels.Term{{Task: kernels.Identity{}, Arm: kernels.RBF{Lengthscale: []float64{1}}}}}

// loadFrame loads a problem from a frame, or from its CSV.
func loadFrame(f *Frame, asText bool, long Long) (*Problem, error) {
	opt := LoadOptions{Long: &long, Frame: func(string) *Frame { return f }}
	if asText {
		opt.Frame, opt.Read = nil, func(string) ([]byte, error) { return f.CSV(), nil }
	}
	return Load("frame.csv", joint, opt)
}

// A frame is the same problem as its CSV, and has the same errors, in the same rows.
func TestFrame(t *testing.T) {
	columns := Long{Task: []string{"Machine"}, Arm: []string{"Temp", "Speed; m/s"}, Reward: "Throughput"}
	nan := math.NaN()
	for name, change := range map[string]func(f *Frame, l *Long){
		"plain":                func(*Frame, *Long) {},
		"one task":             func(_ *Frame, l *Long) { l.Task, l.Arm = nil, []string{"Machine"} },
		"blocks":               func(_ *Frame, l *Long) { l.Arm, l.Blocks = []string{"Temp"}, []string{"Speed; m/s"} },
		"no reward":            func(f *Frame, _ *Long) { f.Columns[3].Numbers[3], f.Columns[3].Numbers[70] = nan, nan },
		"no speed":             func(f *Frame, _ *Long) { f.Columns[2].Numbers[7] = nan },
		"no task":              func(f *Frame, _ *Long) { f.Columns[0].Codes[5] = -1 },
		"infinite":             func(f *Frame, _ *Long) { f.Columns[3].Numbers[9] = math.Inf(1) },
		"too large":            func(f *Frame, _ *Long) { f.Columns[2].Numbers[9] = 1e200 },
		"zeros":                func(f *Frame, _ *Long) { f.Columns[2].Numbers[1], f.Columns[2].Numbers[2] = 0, math.Copysign(0, -1) },
		"labels of numbers":    func(f *Frame, _ *Long) { f.Columns[0].Labels = []string{"1", "1.0", "2", "3"} },
		"labels of one text":   func(f *Frame, _ *Long) { f.Columns[0].Labels = []string{"a", "a ", "say \"b\", c", " a"} },
		"a gap as label":       func(f *Frame, _ *Long) { f.Columns[0].Labels[2] = "N/A" },
		"a control character":  func(f *Frame, _ *Long) { f.Columns[0].Labels[2] = "a\x07" },
		"a label in two lines": func(f *Frame, _ *Long) { f.Columns[0].Labels[2] = "a\r\nb\tc" },
		"a text for a reward":  func(f *Frame, l *Long) { l.Arm, l.Reward, l.Task = []string{"Temp"}, "Machine", nil },
		"no such column":       func(_ *Frame, l *Long) { l.Reward = "Yield" },
		"a name twice":         func(f *Frame, _ *Long) { f.Columns[1].Name = "Machine" },
		"a column unnamed":     func(f *Frame, _ *Long) { f.Columns[1].Name = "" },
		"an empty row": func(f *Frame, _ *Long) {
			f.Columns[0].Codes[4] = -1
			for k := 1; k < 4; k++ {
				f.Columns[k].Numbers[4] = nan
			}
			f.Columns[2].Numbers[8] = nan // an error below it
		},
	} {
		f, l := million(200), columns
		change(f, &l)
		got, err := loadFrame(f, false, l)
		want, wantErr := loadFrame(f, true, l)
		if place := (*DataError)(nil); wantErr != nil && err != nil && errors.As(wantErr, &place) {
			place.Column = 0 // a frame has rows alone
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: error\n%v\nas CSV\n%v", name, err, wantErr)
			continue
		}
		if err != nil {
			continue
		}
		if !reflect.DeepEqual(got.Tasks, want.Tasks) || !reflect.DeepEqual(got.Arms, want.Arms) {
			t.Errorf("%s: tasks or arms differ from those as CSV", name)
		}
		for _, p := range []*Problem{got, want} { // pointers
			p.Long, p.Tasks, p.Arms = nil, nil, nil
		}
		want.Sources[0].SHA256 = got.Sources[0].SHA256
		if has, wants := fmt.Sprintf("%+v", *got), fmt.Sprintf("%+v", *want); has != wants {
			t.Errorf("%s: the problem is\n%s\nas CSV\n%s", name, has, wants)
		}
	}
}

// The mean of an arm is the same to the last bit wherever its rewards are in memory, since campaigns compare digests of it.
func TestMeanOfAnyPlace(t *testing.T) {
	for before := range 4 {
		room := append(make([]float64, before, 16), 8.49, 8.34, 8.76, 8.48) // 8.517499999999998 if added one by one
		p := &Problem{Rewards: [][]float64{room[before:]}, TaskOf: []int{0}}
		if (reading{p, &table{path: "x"}}).summarise(); p.Mean[0] != 8.5175 {
			t.Errorf("%d before: %v", before, p.Mean)
		}
	}
}
