package dsl

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A problem says when its kernel admits every truth on its arms, and nothing of a kernel that is
// identity() as written, rules something out, or has free hyperparameters.
func TestKernelNotes(t *testing.T) {
	folder := t.TempDir()
	// Six arms with one feature, in two tasks with one feature.
	const table = "task,arm,x_temp,z_age,mean,sd\na,p,150,1,2,1\na,q,180,1,3,1\na,r,210,1,1,1\nb,p,150,5,2,1\nb,q,180,5,4,1\nb,r,210,5,0,1\n"
	written(t, folder, "m.csv", table)
	// An empty text wants no note.
	for k, want := range map[string]string{
		"task(rbf(2)) * arm(rbf(30))":          "the kernel has full rank on these 6 arms",
		"task(rbf(0.3)) * arm(rbf(2))":         "the kernel treats these 6 arms as unrelated",
		"arm(linear()) + 0.1*identity()":       "the kernel has full rank on these 6 arms",
		"identity()":                           "",
		"task(identity()) * arm(3*identity())": "",
		"task(rbf(2)) * arm(linear())":         "",
		"arm(rbf(30))":                         "",
		"task(rbf(2)) * arm(rbf(free(30)))":    "",
		"task(identity()) * arm(rbf(30))":      "the kernel has full rank on these 6 arms",
		"task(identity()) * arm(linear() + 1)": "",
		"task(constant(1)) * arm(identity())":  "",
		"task(1 + identity()) * arm(rbf(30))":  "the kernel has full rank on these 6 arms",
	} {
		var told []string
		s := NewSession(Options{Folder: folder, Notice: func(line string) { told = append(told, line) }})
		must(t, s, `p = problem("m.csv", kernel=`+k+`)`)
		v, _, _ := s.Value("p")
		notes := strings.Join(lists.Map(v.(*problem.Problem).KernelNotes, problem.Note.String), "\n")
		if notes != strings.Join(told, "\n") || !strings.HasPrefix(notes, want) || want == "" && notes != "" {
			t.Errorf("%s: told %q, notes %q, want %q", k, told, notes, want)
		}
	}
}
