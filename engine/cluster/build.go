package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Build says what a program was built from and for. Two builds of one source that differ in System or
// Level may round differently: see PlanBody.
type Build struct {
	Revision string `json:"revision"`          // of the source, as it was stamped; "" where it was not
	Program  string `json:"program,omitempty"` // checksum of the program's file, where the revision does not tell the source
	System   string `json:"system"`            // as linux/amd64
	Level    string `json:"level,omitempty"`   // of the processor: v1 to v4 of GOAMD64, or its relatives
	Go       string `json:"go"`
}

// BuildHere returns the build of this program.
func BuildHere() Build {
	b := Build{System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	changed := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+changes"
			case s.Key == "GO"+strings.ToUpper(runtime.GOARCH):
				b.Level = s.Value
			}
		}
	}
	if b.Revision == "" || changed != "" {
		b.Revision, b.Program = b.Revision+changed, programHere()
	}
	return b
}

// programHere returns the checksum of the file of this program; "unknown" where it cannot be read.
var programHere = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// Source returns what the program was built from, in words: the revision, the program, or both.
func (b Build) Source() string {
	if b.Program == "" {
		return cmp.Or(b.Revision, "unknown revision")
	}
	return strings.TrimSpace(b.Revision + " program " + b.Program)
}

// String returns the build in words.
func (b Build) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", b.Source(), b.System, b.Level, b.Go))
}
