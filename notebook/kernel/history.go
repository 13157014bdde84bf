package kernel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// history records what was executed in a file of one JSON object a line, which all kernels of a
// user append to.
type history struct {
	mu      sync.Mutex
	path    string
	session int
	entries []entry // of earlier sessions and of this one
	log     func(string, ...any)
}

// entry is one execution.
type entry struct {
	Session int    `json:"session"`
	Line    int    `json:"line"`
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"`
}

// historyLimit limits the entries that are kept when a kernel starts.
const historyLimit = 10000

// DefaultHistory returns the file of the history: history.jsonl in the folder gonb-cope of
// XDG_STATE_HOME, or of ~/.local/state.
func DefaultHistory() string {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "gonb-cope", "history.jsonl")
}

// openHistory reads the history in a file. One that cannot be read or written is
// only forgotten with the kernel.
func openHistory(path string, log func(string, ...any)) *history {
	path = cmp.Or(path, DefaultHistory())
	h := &history{path: path, log: log}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		log("history: %v", err)
	}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) == nil { // a line that was cut off is left out
			h.session = max(h.session, e.Session)
			if e.Line > 0 { // and not only the beginning of a session
				h.entries = append(h.entries, e)
			}
		}
	}
	h.session++
	h.write(entry{Session: h.session}) // so that a kernel that starts now takes another number
	if len(h.entries) > historyLimit {
		h.entries = slices.Clone(h.entries[len(h.entries)-historyLimit:])
		h.rewrite()
	}
	return h
}

// rewrite replaces the file by the entries in memory.
func (h *history) rewrite() {
	var b bytes.Buffer
	for _, e := range h.entries {
		b.Write(lineOf(e))
	}
	if err := atomicfile.Write(h.path, b.Bytes(), 0o600, false); err != nil {
		h.log("history: %v", err)
	}
}

func lineOf(e entry) []byte {
	text, _ := json.Marshal(e) // numbers and texts only
	return append(text, '\n')
}

// add remembers an execution.
func (h *history) add(line int, input, output string) {
	e := entry{h.session, line, input, output}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, e)
	h.write(e)
}

// write appends an entry to the file.
func (h *history) write(e entry) {
	if h.path == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(h.path), 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		if _, err = f.Write(lineOf(e)); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		h.log("history: %v", err)
		h.path = ""
	}
}

// input returns the cell of this session with a number, or "".
func (h *history) input(line int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range slices.Backward(h.entries) {
		if e.Session == h.session && e.Line == line {
			return e.Input
		}
	}
	return ""
}

// historyRequest is the content of history_request.
type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"`
	Session int    `json:"session"` // of range: 0 is this one, -1 the one before
	Start   int    `json:"start"`
	Stop    int    `json:"stop"` // 0: to the end
	N       int    `json:"n"`    // of tail and search; 0: all
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

// answer returns the content of history_reply.
func (h *history) answer(m *jupyter.Message) any {
	var r historyRequest
	if err := m.Decode(&r); err != nil {
		reply := (&failure{"BadRequest", err.Error(), []string{}}).reply()
		reply["history"] = []any{}
		return reply
	}
	list := []any{}
	for _, e := range h.find(r) {
		var said any = e.Input
		if r.Output && e.Output == "" {
			said = []any{e.Input, nil}
		} else if r.Output {
			said = []any{e.Input, e.Output}
		}
		list = append(list, []any{e.Session, e.Line, said})
	}
	return map[string]any{"status": "ok", "history": list}
}

// find selects entries, oldest first.
func (h *history) find(r historyRequest) []entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []entry
	switch r.Access {
	case "range":
		session := r.Session
		if session <= 0 {
			session += h.session
		}
		return lists.Where(h.entries, func(e entry) bool {
			return e.Session == session && e.Line >= r.Start && (r.Stop == 0 || e.Line < r.Stop)
		})
	case "search":
		pattern := matcher(r.Pattern)
		found = lists.Where(h.entries, func(e entry) bool { return pattern.MatchString(e.Input) })
		if r.Unique {
			found = lastOfEach(found)
		}
	default: // tail
		found = slices.Clone(h.entries)
	}
	if r.N > 0 && len(found) > r.N {
		found = found[len(found)-r.N:]
	}
	return found
}

// lastOfEach keeps the last entry of each input.
func lastOfEach(entries []entry) []entry {
	seen := map[string]bool{}
	var latest []entry
	for _, e := range slices.Backward(entries) {
		if !seen[e.Input] {
			seen[e.Input] = true
			latest = append(latest, e)
		}
	}
	slices.Reverse(latest)
	return latest
}

// matcher returns the expression of a pattern in which * represents any text and ? for any character, as in a shell;
// without pattern everything matches.
func matcher(pattern string) *regexp.Regexp {
	pattern = cmp.Or(pattern, "*")
	return regexp.MustCompile(`(?s)^` + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)) + `$`)
}
