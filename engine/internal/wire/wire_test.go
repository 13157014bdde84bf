package wire_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var header = wire.Header{Agent: 3, Round: 200, Digest: wire.Digest{1, 2, 3, 4, 5, 6, 7, 0xff}}

// encode appends a message behind other bytes, which must stay.
func encode(t *testing.T, m interface {
	Append([]byte) ([]byte, error)
}) []byte {
	t.Helper()
	b := try.Of(m.Append([]byte("before")))
	after, ok := bytes.CutPrefix(b, []byte("before"))
	if !ok {
		t.Fatalf("what was there before the message is gone: %q", b)
	}
	return after
}

// The bytes of one message, put together by hand from the table in doc.go: 300 is
// ac 02 as a uvarint, 200 is c8 01, 1.5 is 3ff8… and -2 is c000….
func TestBytes(t *testing.T) {
	got := encode(t, wire.Merged{Header: header, Counts: []int{300, 0, 1}, Means: []float64{1.5, 0, -2}})
	want := "01" + "4d" + "03" + "c801" + "01020304050607ff" + "03" + "ac02" + "000000000000f83f" + "00" + "01" + "00000000000000c0"
	if hex.EncodeToString(got) != want {
		t.Errorf("got  %x\nwant %s", got, want)
	}
	// With squares: 0.5 is 3fe0…, and an arm pulled once sends none.
	got = encode(t, wire.Merged{Header: header, Counts: []int{300, 0, 1}, Means: []float64{1.5, 0, -2}, Squares: []float64{0.5, 0, 0}})
	want = "01" + "53" + "03" + "c801" + "01020304050607ff" + "03" + "ac02" + "000000000000f83f" + "000000000000e03f" + "00" + "01" + "00000000000000c0"
	if hex.EncodeToString(got) != want {
		t.Errorf("with squares\ngot  %x\nwant %s", got, want)
	}
}

// Parse reads an appended message back, and its length is the predicted one.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	messages := enginetest.Number(200, 12)
	for range messages {
		h := wire.Header{Agent: rng.IntN(300), Round: 1 + rng.IntN(300)}
		var arms []int
		counts, means, squares := make([]int, rng.IntN(200)), []float64{}, []float64{}
		for i := range counts {
			counts[i] = int(rng.ExpFloat64() * 40)
			mean := 0.0
			if counts[i] != 0 {
				mean = rng.NormFloat64()
			}
			means = append(means, mean)
			square := 0.0
			if counts[i] > 1 {
				square = rng.ExpFloat64()
			}
			squares = append(squares, square)
			for range counts[i] {
				arms = append(arms, i)
			}
		}
		rewards := make([]float64, len(arms))
		arms = append([]int{}, arms...)
		merged, raw, theta := wire.Merged{h, counts, means, nil, nil}, wire.Raw{h, arms, rewards}, wire.Theta{h, means}
		m, r, th := encode(t, merged), encode(t, raw), encode(t, theta)
		if len(m) != wire.MergedSize(h.Agent, h.Round, counts, false, false) || len(r) != wire.RawSize(h.Agent, h.Round, counts) || len(th) != wire.ThetaSize(h.Agent, h.Round, len(means)) {
			t.Fatalf("%d, %d and %d bytes; announced %d, %d and %d", len(m), len(r), len(th),
				wire.MergedSize(h.Agent, h.Round, counts, false, false), wire.RawSize(h.Agent, h.Round, counts), wire.ThetaSize(h.Agent, h.Round, len(means)))
		}
		gotM, err1 := wire.ParseMerged(m)
		if d := cmp.Diff(merged, gotM); err1 != nil || d != "" {
			t.Fatal(err1, d)
		}
		spread := wire.Merged{h, counts, means, squares, nil}
		s := encode(t, spread)
		if size := wire.MergedSize(h.Agent, h.Round, counts, true, false); len(s) != size {
			t.Fatalf("with squares %d bytes, announced %d", len(s), size)
		}
		if got, err := wire.ParseMerged(s); err != nil || !cmp.Equal(got, spread) {
			t.Fatalf("with squares: error %v, %s", err, cmp.Diff(spread, got))
		}
		ranges := make([][2]float64, len(counts))
		for i, mean := range means {
			if ranges[i] = [2]float64{mean, mean}; counts[i] > 1 {
				ranges[i] = [2]float64{mean - rng.Float64(), mean + rng.Float64()}
			}
		}
		spread.Ranges = ranges
		s = encode(t, spread)
		if size := wire.MergedSize(h.Agent, h.Round, counts, true, true); len(s) != size {
			t.Fatalf("with ranges %d bytes, announced %d", len(s), size)
		}
		if got, err := wire.ParseMerged(s); err != nil || !cmp.Equal(got, spread) {
			t.Fatalf("with ranges: error %v, %s", err, cmp.Diff(spread, got))
		}
	}
}

// Sizes at the limits of uvarints, and of ten million pulls at the cost of two arms.
func TestSizes(t *testing.T) {
	for _, count := range []int{1, 127, 128, 16383, 16384, math.MaxInt32} {
		b := encode(t, wire.Merged{wire.Header{Round: 1}, []int{count}, []float64{0}, nil, nil})
		if size := wire.MergedSize(0, 1, []int{count}, false, false); size != len(b) {
			t.Errorf("count %d: size %d, %d bytes", count, size, len(b))
		}
	}
	// 2+1+1+8 before, 4 bytes for 10^7, and 1+8 bytes a reward.
	if got := wire.RawSize(0, 1, []int{4e6, 6e6}); got != 16+9e7 {
		t.Errorf("ten million raw rewards: %d bytes, want %d", got, int(16+9e7))
	}
	if n := testing.AllocsPerRun(10, func() { wire.RawSize(0, 1, []int{4e6, 6e6}) }); n > 0 {
		t.Errorf("RawSize allocates %g times", n)
	}
}

// A mistake names its place, and nothing of the message is appended.
func TestAppendErrors(t *testing.T) {
	h := wire.Header{Round: 1}
	for want, m := range map[string]interface {
		Append([]byte) ([]byte, error)
	}{
		"a merged message has a count and a mean for each arm, got 1 counts and 2 means":               wire.Merged{h, []int{1}, []float64{1, 2}, nil, nil},
		"the count of arm 1 must be 0 or more, got -4":                                                 wire.Merged{h, []int{1, -4}, []float64{1, 2}, nil, nil},
		"the mean of arm 0 must be a finite number, got NaN":                                           wire.Merged{h, []int{1}, []float64{math.NaN()}, nil, nil},
		"a spread message has the squared deviations of each arm, got 1 for 2 arms":                    wire.Merged{h, []int{2, 2}, []float64{1, 2}, []float64{1}, nil},
		"the squares of arm 1 must be 0 or more, got -3":                                               wire.Merged{h, []int{2, 2}, []float64{1, 2}, []float64{1, -3}, nil},
		"the squares of arm 0 must be a finite number, got +Inf":                                       wire.Merged{h, []int{2}, []float64{1}, []float64{math.Inf(1)}, nil},
		"a ranges message has squares and a range for each arm, got 1 ranges and 0 squares for 1 arms": wire.Merged{h, []int{2}, []float64{1}, nil, [][2]float64{{0, 2}}},
		"the smallest reward of arm 0 must not be above the largest, got 2 and 0":                      wire.Merged{h, []int{2}, []float64{1}, []float64{1}, [][2]float64{{2, 0}}},
		"a raw message has an arm and a reward for each pull, got 1 arms and 0 rewards":                wire.Raw{h, []int{1}, nil},
		"the arm of pull 0 must be 0 or more, got -1":                                                  wire.Raw{h, []int{-1}, []float64{0}},
		"theta 1 must be a finite number, got -Inf":                                                    wire.Theta{h, []float64{0, math.Inf(-1)}},
		"the agent must be 0 or more, got -1":                                                          wire.Theta{wire.Header{Agent: -1, Round: 1}, nil},
		"rounds count from 1, got 0":                                                                   wire.Theta{},
	} {
		b, err := m.Append([]byte("x"))
		if err == nil || err.Error() != "wire: "+want || string(b) != "x" {
			t.Errorf("%q, error %v; want %q", b, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	good := encode(t, wire.Merged{header, []int{300, 1}, []float64{1.5, 2}, nil, nil})
	for want, b := range map[string][]byte{
		"byte 0: the data end within the version":                     {},
		"byte 1: version 2, this program reads version 1":             append([]byte{2}, good[1:]...),
		"byte 2: the message is of kind raw":                          append([]byte{1, 'R'}, good[2:]...),
		"byte 2: the message is of kind 0x7":                          append([]byte{1, 7}, good[2:]...),
		"byte 2: the agent takes more bytes than it needs":            {1, 'M', 0x83, 0},
		"byte 2: the agent is too large":                              append([]byte{1, 'M'}, bytes.Repeat([]byte{0xff}, 11)...),
		"byte 4: rounds count from 1, got 0":                          {1, 'M', 0, 0},
		"byte 5: the data end within the digest":                      good[:9],
		"byte 14: 100 entries announced, but only 0 bytes follow":     append(append([]byte{}, good[:13]...), 100),
		"byte 16: the data end within the mean of arm 0":              good[:20],
		"byte 33: 1 bytes follow the last entry":                      append(append([]byte{}, good...), 0),
		"byte 24: the mean of arm 0 must be a finite number, got NaN": append(append(append([]byte{}, good[:22]...), 0xff, 0xff), good[24:]...),
		"byte 13: the data end within the number of entries":          good[:13],
		"byte 3: the data end within the round":                       good[:4],
		"byte 24: the data end within the count of arm 1":             good[:24],
	} {
		_, err := wire.ParseMerged(b)
		if err == nil || err.Error() != "wire: merged message, "+want {
			t.Errorf("error %v\n want wire: merged message, %s", err, want)
		}
	}
}

func TestDigest(t *testing.T) {
	d, err := wire.ParseDigest("01020304050607ff")
	if err != nil || d != header.Digest || d.String() != "01020304050607ff" {
		t.Errorf("digest %s, error %v", d, err)
	}
	for _, text := range []string{"", "0102", "zz020304050607ff"} {
		if _, err := wire.ParseDigest(text); err == nil || !strings.Contains(err.Error(), "16 hexadecimal digits") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// Any bytes either are the one way to write a message, or an error.
func FuzzParse(f *testing.F) {
	for _, m := range []interface {
		Append([]byte) ([]byte, error)
	}{
		wire.Merged{header, []int{300, 0, 1}, []float64{1.5, 0, -2}, nil, nil}, wire.Merged{header, []int{300, 1}, []float64{1.5, 2}, []float64{0.5, 0}, nil}, wire.Raw{header, []int{0, 0, 2}, []float64{1, 2, 3}}, wire.Theta{header, []float64{1, 2}},
	} {
		b := try.Of(m.Append(nil))
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(m interface {
			Append([]byte) ([]byte, error)
		}, err error) {
			if err != nil {
				return
			}
			again, err := m.Append(nil)
			if err != nil || !bytes.Equal(again, b) {
				t.Errorf("%x parses, but is written as %x, error %v", b, again, err)
			}
		}
		merged, err := wire.ParseMerged(b)
		check(merged, err)
	})
}
