package conformance

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordings is the file of outputs of GoNB's examples under GoNB itself. It saves to run them there
// again while the versions are the same; GONB_COPE_RECORD=1 makes it.
const recordings = "testdata/gonb.json"

// recording holds the outputs of examples by name, and the versions that they are of.
type recording struct {
	GoNB, Go string
	Examples map[string][]cellOutput
}

// recorded reads the recordings, without examples where they are of other versions or are to be made.
func recorded(t *testing.T) recording {
	t.Helper()
	now := recording{GoNB: goList(t, "{{.Version}}", "github.com/janpfeifer/gonb"), Go: runtime.Version(), Examples: map[string][]cellOutput{}}
	text, err := os.ReadFile(recordings)
	if errors.Is(err, fs.ErrNotExist) || os.Getenv("GONB_COPE_RECORD") == "1" {
		return now
	}
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", recordings, err)
	}
	if r.GoNB != now.GoNB || r.Go != now.Go {
		t.Logf("%s is of GoNB %s and %s: the examples run under GoNB %s, too", recordings, r.GoNB, r.Go, now.GoNB)
		return now
	}
	return r
}

// write keeps the recordings where GONB_COPE_RECORD asks for it.
func (r recording) write(t *testing.T) {
	t.Helper()
	if os.Getenv("GONB_COPE_RECORD") != "1" {
		return
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(recordings, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// differs compares the outputs of an example under this kernel with those under GoNB: the recorded
// ones, and where these differ, the outputs of another run under GoNB, since a machine may be another one.
func (r recording) differs(t *testing.T, name string, own []cellOutput, live func() []cellOutput) string {
	t.Helper()
	if theirs, ok := r.Examples[name]; ok && slices.EqualFunc(theirs, own, func(a, b cellOutput) bool { return cmp.Equal(a, b) }) {
		return ""
	}
	r.Examples[name] = live()
	return cmp.Diff(r.Examples[name], own)
}

// A recording that differs is not believed, and does not hide what GoNB itself gives.
func TestRecordingsAreCompared(t *testing.T) {
	says := func(text string) []cellOutput { return []cellOutput{{Status: "ok", Stdout: []string{text}}} }
	for _, c := range []struct {
		recorded, own, live string
		same, runs          bool
	}{
		{"a", "a", "b", true, false},
		{"b", "a", "a", true, true},
		{"b", "a", "b", false, true},
	} {
		ran := false
		r := recording{Examples: map[string][]cellOutput{"e": says(c.recorded)}}
		diff := r.differs(t, "e", says(c.own), func() []cellOutput { ran = true; return says(c.live) })
		if (diff == "") != c.same || ran != c.runs {
			t.Errorf("recorded %q, own %q, GoNB %q: runs again %v, differences %q", c.recorded, c.own, c.live, ran, diff)
		}
	}
}
