package canon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Saved values are loaded bit for bit and not recomputed; equal memories give equal bytes.
func TestMemoryFile(t *testing.T) {
	ctx, m := context.Background(), new(Memory)
	d := design.Design{Value: math.Pi, Lower: 1e-300, Weights: []float64{0, math.Copysign(0, -1), 1. / 3}, Certificate: design.Certificate{Weights: []float64{1}, Pairs: []design.Pair{{I: 1, J: 2, Weight: 0.1}}}}
	r := design.Rounding{Counts: []int{0, 3, 4}, Ratio: 1.25, Method: "apportionment"}
	kept := func(m *Memory, computed *int) string {
		a, _ := Remember(ctx, m, Key{Kind: KindDesign, Of: "x"}, func() (design.Design, error) { *computed++; return d, nil })
		b, _ := Remember(ctx, m, Key{Kind: KindRounding, Pulls: 7}, func() (design.Rounding, error) { *computed++; return r, nil })
		c, _ := Remember(ctx, m, Key{Kind: KindNormalHeights, Level: 0.1}, func() ([]float64, error) { *computed++; return []float64{2, math.NaN()}, nil })
		e, _ := Remember(ctx, m, Key{Kind: KindOmega}, func() (float64, error) { *computed++; return 0, nil })
		return fmt.Sprintf("%+v %+v %v %v %x", a, b, c, e, math.Float64bits(a.Weights[1]))
	}
	computed := 0
	want := kept(m, &computed)
	var file bytes.Buffer
	try.To(m.Save(&file, "build 1"))
	data := file.Bytes()
	again := new(Memory)
	if n, err := again.Load(bytes.NewReader(data), "build 1"); n != 4 || err != nil {
		t.Fatalf("%d values, error %v", n, err)
	}
	computed = 0
	if got := kept(again, &computed); got != want || computed != 0 {
		t.Errorf("read %s, want %s; computed %d", got, want, computed)
	}
	var second bytes.Buffer
	if err := again.Save(&second, "build 1"); err != nil || !bytes.Equal(second.Bytes(), data) {
		t.Errorf("saved again: other bytes (%v)", err)
	}

	broken := bytes.Clone(data)
	broken[len(broken)-3] ^= 1
	for name, c := range map[string]struct {
		data  []byte
		build string
	}{
		"other build": {data, "build 2"}, "changed": {broken, "build 1"}, "cut": {data[:len(data)-1], "build 1"},
		"cut in the head": {data[:len(magic)+3], "build 1"}, "empty": {nil, "build 1"}, "other": {[]byte("task,arm\n"), "build 1"},
	} {
		m := new(Memory)
		if n, err := m.Load(bytes.NewReader(c.data), c.build); n != 0 || !errors.Is(err, ErrMemoryFile) || len(m.young) > 0 {
			t.Errorf("%s: %d values, error %v", name, n, err)
		}
	}
}
