package memlimit

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Need is a planned allocation.
type Need struct {
	What  string  // such as the features, or the tasks' Gram matrix
	Bytes float64 // at the present size
	Count int     // number of arms or tasks
	Of    string  // "arms" or "tasks"
	Power int     // Bytes grow with this power of Count; 0 means 1
}

const (
	looked = 1 << 28 // needs below this many bytes are not checked; with a set limit, below an eighth of it
	said   = 1e9     // needs from this many bytes are reported
)

// Error reports a need above the available memory. Its text states what would fit.
type Error struct {
	Need
	Available float64 // bytes
	Limit     string  // the name of the limit
}

// Error returns the message for the user.
func (e *Error) Error() string {
	if e.Count == 0 {
		return fmt.Sprintf("%s: the memory is not sufficient. It needs %s more, but only %s are left (%s). Make it smaller, or allow more "+
			"with --memory",
			e.What, size(e.Bytes), size(e.Available), e.Limit)
	}
	power := float64(max(1, e.Power))
	fits := float64(e.Count) * math.Pow(e.Available/e.Bytes, 1/power)
	digit := math.Pow(10, math.Floor(math.Log10(max(fits, 10)))-1) // two digits suffice
	return fmt.Sprintf("%s of %d %s would take %s of memory, but only %s are left (%s). About %.0f %s would fit",
		e.What, e.Count, e.Of, size(e.Bytes), size(e.Available), e.Limit, math.Floor(fits/digit)*digit, e.Of)
}

// size formats a number of bytes for people.
func size(bytes float64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.1f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.0f MB", bytes/1e6)
}

// Matrices claims the memory of several matrices of n arms × dim features.
func Matrices(ctx context.Context, what string, matrices, n, dim int) error {
	return Claim(ctx, Need{What: what, Bytes: 8 * float64(matrices) * float64(n) * float64(dim), Count: n, Of: "arms"})
}

// Claim asks before an allocation. It returns an *Error if the allocation does not fit, and reports each need above 1 GB once to
// the context's listener. It reserves nothing.
func Claim(ctx context.Context, n Need) error {
	s, _ := ctx.Value(key{}).(*settings)
	if n.Bytes < s.looked() {
		return nil
	}
	if err := s.fits(n); err != nil {
		return err
	}
	if n.Bytes >= said && s != nil && s.tell != nil {
		if _, before := s.reported.LoadOrStore(n.What, true); !before {
			s.tell(fmt.Sprintf("%s of memory for %s of %d %s", size(n.Bytes), n.What, n.Count, n.Of))
		}
	}
	return nil
}

// Grow asks before a growing allocation grows by some bytes, however few. It returns an *Error if they do not fit. what names the
// growing thing.
func Grow(ctx context.Context, what string, bytes float64) error {
	s, _ := ctx.Value(key{}).(*settings)
	return s.fits(Need{What: what, Bytes: bytes})
}

// fits returns an *Error if a need does not fit.
func (s *settings) fits(n Need) error {
	available, limit := s.available()
	if n.Bytes > available {
		debug.FreeOSMemory() // unused memory then counts as available
		available, limit = s.available()
	}
	if n.Bytes > available {
		return &Error{Need: n, Available: max(available, 0), Limit: limit}
	}
	return nil
}

// settings are the values that a context carries.
type settings struct {
	most     float64 // bytes of Go's memory; 0 means no limit
	name     string  // name of the limit
	assumed  bool    // whether the user did not state it
	tell     func(string)
	reported *sync.Map
}

type key struct{}

// Named returns a context with a limit for claims, in bytes of all memory of Go. Messages use the name of the limit.
func Named(ctx context.Context, bytes float64, name string) context.Context {
	s := from(ctx)
	s.most, s.name, s.assumed = bytes, name, false
	return context.WithValue(ctx, key{}, &s)
}

// Default is Named for a limit that the user did not state.
func Default(ctx context.Context, bytes float64, name string) context.Context {
	s := from(Named(ctx, bytes, name))
	s.assumed = true
	return context.WithValue(ctx, key{}, &s)
}

const (
	perFile     = 1e9 // bytes that reading a file of any size may take
	perFileByte = 1e3 // further bytes for each of its bytes
)

// File returns a context that limits the memory for reading a file of that many bytes, unless the user stated a limit: to 1 GB and 1 kB
// per byte above what Go uses now. A compressed file of a few kilobytes can have millions of rows.
func File(ctx context.Context, bytes int) context.Context {
	s := from(ctx)
	if s.most > 0 && !s.assumed || os.Getenv(variable) != "" {
		return ctx
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	most := float64(m.Sys-m.HeapIdle) + perFile + perFileByte*float64(bytes)
	if s.most > 0 && s.most <= most {
		return ctx
	}
	s.most, s.name = most, "the limit for a file of this size; --memory sets another limit"
	return context.WithValue(ctx, key{}, &s)
}

// Listening returns a context whose claims above 1 GB are reported to the function.
func Listening(ctx context.Context, tell func(string)) context.Context {
	s := from(ctx)
	s.tell, s.reported = tell, new(sync.Map)
	return context.WithValue(ctx, key{}, &s)
}

func from(ctx context.Context) settings {
	if s, ok := ctx.Value(key{}).(*settings); ok {
		return *s
	}
	return settings{}
}

// looked returns the number of bytes below which a need is not checked.
func (s *settings) looked() float64 {
	if s != nil && s.most > 0 {
		return min(looked, s.most/8)
	}
	return looked
}

// available returns the bytes that may be allocated, and the name of the limit.
func (s *settings) available() (bytes float64, limit string) {
	bytes, limit = math.Inf(1), "no limit is known"
	least := func(b float64, name string) {
		if b < bytes {
			bytes, limit = b, name
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	used := float64(m.Sys - m.HeapReleased)
	free := float64(m.HeapIdle - m.HeapReleased) // kept by Go
	if s != nil && s.most > 0 {
		least(s.most-used+free, s.name)
	}
	if most := debug.SetMemoryLimit(-1); os.Getenv(variable) != "" && most < math.MaxInt64 {
		least(float64(most)-used+free, variable)
	}
	process(&m, func(b float64, name string) { least(usable*b, name) })
	machine(&m, least)
	return bytes, limit
}

const variable = "GOMEMLIMIT"

// usable is the fraction of the memory under a process limit that claims may use; the rest is for late garbage collection.
const usable = 0.9

// CollectInTime makes Go collect garbage early enough. Without a memory limit, garbage may grow to the size of the live memory, and
// then a limit of the process ends the program with a trace. A program calls it at its start, and again with its own limit in
// bytes, or 0 for none. GOMEMLIMIT has priority.
func CollectInTime(own float64) {
	if os.Getenv(variable) != "" {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	available := math.Inf(1)
	process(&m, func(b float64, _ string) { available = min(available, b) })
	most := float64(m.Sys-m.HeapReleased) + usable*available
	if own > 0 {
		most = min(most, own)
	}
	if available > 0 && most < math.MaxInt64 {
		debug.SetMemoryLimit(int64(most))
	}
}

// units are the names of sizes; a name comes before its endings.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// mostMemory exceeds the memory of any machine, in bytes.
const mostMemory = 1e18

// Parse parses a size of memory in bytes: a number above 0 and a unit, as in 4GB, 500MB or 1.5GiB.
func Parse(text string) (bytes float64, err error) {
	for _, u := range units {
		digits, found := strings.CutSuffix(text, u.name)
		if !found {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if bytes := v * u.bytes; err == nil && bytes > mostMemory {
			return 0, fmt.Errorf("a size of memory must be at most %.0fTB, got %q", mostMemory/1e12, text)
		} else if err == nil && bytes >= 1 {
			return bytes, nil
		}
		break
	}
	return 0, fmt.Errorf("a size of memory must be a number above 0 with a unit, as in 4GB, 500MB or 1.5GiB, got %q", text)
}
