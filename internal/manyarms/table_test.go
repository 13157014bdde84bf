package manyarms

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A file of the table reads as the problem; a larger one has all arms of a smaller one.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arms.csv")
	file := try.Of(os.Create(path))
	try.To(Write(file, 60))
	try.To(file.Close())
	want := try.Of(Problem(60))
	got := try.Of(problem.Load(path, want.Kernel, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{Noise}}}))
	for j := range want.Arms.X {
		if !slices.Equal(got.Arms.X[j], want.Arms.X[j]) {
			t.Errorf("column %d of the file is %v, want %v", j+1, got.Arms.X[j], want.Arms.X[j])
		}
	}
	if !slices.Equal(got.Mean, want.Mean) || !slices.Equal(got.Arms.Names, want.Arms.Names) || !slices.Equal(got.Tasks.X[0], want.Tasks.X[0]) {
		t.Errorf("the file reads as\n%v %v %v, want\n%v %v %v", got.Arms.Names, got.Mean, got.Tasks.X[0], want.Arms.Names, want.Mean, want.Tasks.X[0])
	}
	more := try.Of(Problem(250))
	for i, name := range want.Arms.Names {
		k := slices.Index(more.Arms.Names, name)
		if k < 0 || more.Mean[k] != want.Mean[i] {
			t.Errorf("%s of 60 arms is not among 250", name)
		}
	}
}
