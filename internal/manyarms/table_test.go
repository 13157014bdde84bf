package manyarms

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A file of the table reads as the problem; a larger one has all arms of a smaller one.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arms.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(file, 60); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := Problem(60)
	if err != nil {
		t.Fatal(err)
	}
	got, err := problem.Load(path, want.Kernel, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{Noise}}})
	if err != nil {
		t.Fatal(err)
	}
	for j := range want.Arms.X {
		if !slices.Equal(got.Arms.X[j], want.Arms.X[j]) {
			t.Errorf("column %d of the file is %v, want %v", j+1, got.Arms.X[j], want.Arms.X[j])
		}
	}
	if !slices.Equal(got.Mean, want.Mean) || !slices.Equal(got.Arms.Names, want.Arms.Names) || !slices.Equal(got.Tasks.X[0], want.Tasks.X[0]) {
		t.Errorf("the file reads as\n%v %v %v, want\n%v %v %v", got.Arms.Names, got.Mean, got.Tasks.X[0], want.Arms.Names, want.Mean, want.Tasks.X[0])
	}
	more, err := Problem(250)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range want.Arms.Names {
		k := slices.Index(more.Arms.Names, name)
		if k < 0 || more.Mean[k] != want.Mean[i] {
			t.Errorf("%s of 60 arms is not among 250", name)
		}
	}
}
