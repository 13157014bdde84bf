package dsl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A campaign keeps the kernel that was found, or fitted, when its protocol was made: making it again finds none,
// also where rows were added to its table since.
func TestFoundKernelsAreKept(t *testing.T) {
	// Two sites with smooth yields and a pattern for noise, so that a kernel can be found.
	table := "site,depth,dose,yield\n"
	for v, site := range []string{"Gent", "Lund"} {
		for i := range 8 {
			for r := range 3 {
				x := float64(i)
				table += fmt.Sprintf("%s,%g,%d,%g\n", site, x, 1+i%3, 3+x*(7-x)/4+float64(v)*x/8+float64((i*7+r*5+v)%4)/10)
			}
		}
	}
	folder := t.TempDir()
	try.To(os.WriteFile(filepath.Join(folder, "runs.csv"), []byte(table), 0o600))
	const load = `problem(data="runs.csv", task="site", arm=["depth", "dose"], reward="yield"`
	for name, script := range map[string]string{
		"found":  "p = " + load + ")\n",
		"fitted": "q = " + load + `, kernel=task(identity())*arm(rbf(free(1), dims="depth")))` + "\nf = fit(q)\np = with_kernel(q, fitted(f))\n",
	} {
		t.Run(name, func(t *testing.T) {
			script += "days = protocol(p, delta=0.1, epsilon=0.1, algorithm=\"CoBayesFC\", runs=0)\n"
			p, r, err := ReadProtocol(t.Context(), "days.cope", script, Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			last := &r.Data[len(r.Data)-1] // the kernels are the last file of the recipe
			if last.Path != foundFile || !p.Problem.KernelFittedHere() {
				t.Fatalf("the recipe ends with %s, and the kernel is fitted here: %v", last.Path, p.Problem.KernelFittedHere())
			}
			again, err := MakeProtocol(t.Context(), r)
			if err != nil || again.Fingerprint() != p.Fingerprint() || !again.Problem.Kernel.Equal(p.Problem.Kernel) || !again.Problem.KernelFittedHere() {
				t.Fatalf("made again, with kernel %v in place of %v: error %v", again.Problem.Kernel, p.Problem.Kernel, err)
			}
			// A row of a new arm is added to the table.
			r.Added = []campaign.File{{Path: "more.csv", Content: []byte("site,depth,dose,yield\nGent,9,1,40\n")}}
			if more, err := MakeProtocol(t.Context(), r); err != nil || more.Problem.N() != p.Problem.N()+1 || !more.Problem.Kernel.Equal(p.Problem.Kernel) {
				t.Errorf("with a row more: %d arms, kernel %v in place of %v, error %v", more.Problem.N(), more.Problem.Kernel, p.Problem.Kernel, err)
			}
			r.Added = nil
			// what is kept decides
			kept := last.Content
			last.Content = bytes.Replace(kept, []byte(`"kernel": "`), []byte(`"kernel": "7*task(identity()) + `), 1)
			if other, err := MakeProtocol(t.Context(), r); err != nil || !strings.HasPrefix(other.Problem.Kernel.String(), "7*task(identity()) + ") {
				t.Errorf("another kernel is kept, and the problem has %v: error %v", other.Problem.Kernel, err)
			}
			last.Content = bytes.Replace(kept, []byte(`"kernel": "`), []byte(`"kernel": "unheard_of(1) + `), 1)
			if _, err := MakeProtocol(t.Context(), r); err == nil || !strings.Contains(err.Error(), "unheard_of") || !strings.Contains(err.Error(), foundFile) {
				t.Errorf("a kernel that this program does not have: error %v", err)
			}
			last.Content = []byte(`{"calls": []}`)
			if _, err := MakeProtocol(t.Context(), r); err == nil || !strings.Contains(err.Error(), "the result of call 1, of ") {
				t.Errorf("nothing is kept: error %v", err)
			}
			last.Content = []byte("{")
			if _, err := MakeProtocol(t.Context(), r); err == nil || !strings.Contains(err.Error(), foundFile) {
				t.Errorf("a file that is cut short: error %v", err)
			}
		})
	}
}
