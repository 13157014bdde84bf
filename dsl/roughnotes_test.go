package dsl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A problem of many arms says when its kernel tells very many directions apart, and which does not.
func TestRoughNotes(t *testing.T) {
	folder := t.TempDir()
	var table bytes.Buffer
	try.To(manyarms.Write(&table, 1000))
	try.To(os.WriteFile(filepath.Join(folder, "arms.csv"), table.Bytes(), 0o644))
	// The kernel that fits, a rough one, a smooth one with an identity, and an identity that was asked for.
	for _, c := range []struct {
		kernel string
		want   []string
	}{
		{manyarms.Kernel, nil},
		{"task(rbf(1)) * arm(matern(nu=0.5))", []string{"effective rank of 600 to 1000", "a smoother kernel with the same length scales, task(rbf(lengthscale=1)) * arm(rbf()), has an effective rank of about"}},
		{manyarms.Kernel + " + 0.05*identity()", []string{"effective rank of 600 to 1000", "a smoother kernel"}},
		{"task(identity()) * arm(identity())", nil}, // as written
	} {
		values := valuesOf(t, NewSession(Options{Folder: folder}), `problem("arms.csv", kernel=`+c.kernel+`, noise=0.3)`)
		notes := lists.Map(values[0].(*problem.Problem).KernelNotes, problem.Note.String)
		if len(notes) != len(c.want) {
			t.Errorf("%s: %q", c.kernel, notes)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(notes[i], want) {
				t.Errorf("%s: %q, want %q", c.kernel, notes[i], want)
			}
		}
	}
}
