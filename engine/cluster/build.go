package cluster

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Build says what a program was built from and for. Two builds of one source that differ in System or
// Level may round differently: see PlanBody.
type Build struct {
	Revision string `json:"revision"`        // of the source; "" where it is not known
	System   string `json:"system"`          // as linux/amd64
	Level    string `json:"level,omitempty"` // of the processor: v1 to v4 of GOAMD64, or its relatives
	Go       string `json:"go"`
}

// BuildHere returns the build of this program. Revision comes from its version control, or else is the
// one that is given.
func BuildHere(revision string) Build {
	b := Build{Revision: revision, System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	found, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			found = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		case s.Key == "GO"+strings.ToUpper(runtime.GOARCH):
			b.Level = s.Value
		}
	}
	if found != "" {
		b.Revision = found + changed
	}
	return b
}

// String returns the build in words.
func (b Build) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", cmp.Or(b.Revision, "unknown revision"), b.System, b.Level, b.Go))
}
