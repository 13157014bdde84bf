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

// history records executed cells in a file with one JSON object per line. All kernels of a user append to this file.
type history struct {
	mu      sync.Mutex
	path    string
	session int
	entries []entry // entries of earlier sessions and of this one, oldest first
	log     func(string, ...any)
}

// entry is one execution.
type entry struct {
	Session int    `json:"session"`
	Line    int    `json:"line"`
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"`
}

// historyLimit is the number of newest entries that openHistory keeps.
const historyLimit = 10000

// DefaultHistory returns the path of the history file: gonb-cope/history.jsonl in XDG_STATE_HOME, or else in
// ~/.local/state. It returns "" if there is no home folder.
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

// openHistory reads the history file and begins a new session. path "" means DefaultHistory. If the file cannot be read or
// written, the error is logged and the history exists only in memory.
func openHistory(path string, log func(string, ...any)) *history {
	path = cmp.Or(path, DefaultHistory())
	h := &history{path: path, log: log}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		log("history: %v", err)
	}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) == nil { // lines that cannot be parsed are skipped
			h.session = max(h.session, e.Session)
			if e.Line > 0 { // line 0 only marks the beginning of a session
				h.entries = append(h.entries, e)
			}
		}
	}
	h.session++
	h.write(entry{Session: h.session}) // kernels started later then choose another session number
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
	text, _ := json.Marshal(e) // no error: an entry has only numbers and texts
	return append(text, '\n')
}

// add appends an execution of this session to the history and its file.
func (h *history) add(line int, input, output string) {
	e := entry{h.session, line, input, output}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, e)
	h.write(e)
}

// write appends an entry to the file. After an error it logs the error and writes no more.
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

// input returns the source of the cell with execution count line in this session, or "".
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
	Session int    `json:"session"` // for range: 0 is this session, -1 the previous one
	Start   int    `json:"start"`
	Stop    int    `json:"stop"` // exclusive; 0 means to the end
	N       int    `json:"n"`    // for tail and search: number of newest entries; 0 means all
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

// find returns the entries that a request asks for, oldest first.
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

// lastOfEach keeps only the last of several entries with the same input. The order is kept.
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

// matcher converts a pattern into a regular expression. In the pattern, * matches any text and ? any character, as in a
// shell. An empty pattern matches everything.
func matcher(pattern string) *regexp.Regexp {
	pattern = cmp.Or(pattern, "*")
	return regexp.MustCompile(`(?s)^` + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)) + `$`)
}
