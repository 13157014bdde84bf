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

// Need describes a planned allocation.
type Need struct {
	What  string  // what it is for, such as the tasks' Gram matrix
	Bytes float64 // bytes for Count arms or tasks
	Count int     // number of arms or tasks
	Of    string  // "arms" or "tasks"
	Power int     // Bytes is proportional to this power of Count; 0 means 1
}

const (
	looked = 1 << 28 // smaller needs (in bytes) are not checked; with a set limit, the threshold is at most an eighth of the limit
	said   = 1e9     // needs of at least this many bytes are reported to the listener
)

// Error states that a need exceeds the available memory. Its message states what would fit.
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
	digit := math.Pow(10, math.Floor(math.Log10(max(fits, 10)))-1) // the message rounds to two digits
	return fmt.Sprintf("%s of %d %s would take %s of memory, but only %s are left (%s). About %.0f %s would fit",
		e.What, e.Count, e.Of, size(e.Bytes), size(e.Available), e.Limit, math.Floor(fits/digit)*digit, e.Of)
}

// size formats a number of bytes as GB or MB.
func size(bytes float64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.1f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.0f MB", bytes/1e6)
}

// Matrices calls Claim for the given number of matrices of n arms × dim features.
func Matrices(ctx context.Context, what string, matrices, n, dim int) error {
	return Claim(ctx, Need{What: what, Bytes: 8 * float64(matrices) * float64(n) * float64(dim), Count: n, Of: "arms"})
}

// Claim checks a planned allocation. It returns an *Error if the allocation does not fit. It reports needs of at least 1
// GB to the context's listener, each only once. It does not reserve memory.
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

// Grow checks the growth of an allocation by the given number of bytes, even if it is small. It returns an *Error if the
// bytes do not fit. what names the allocation.
func Grow(ctx context.Context, what string, bytes float64) error {
	s, _ := ctx.Value(key{}).(*settings)
	return s.fits(Need{What: what, Bytes: bytes})
}

// fits returns an *Error if the need n does not fit.
func (s *settings) fits(n Need) error {
	available, limit := s.available()
	if n.Bytes > available {
		debug.FreeOSMemory() // memory that Go returns to the system counts as available
		available, limit = s.available()
	}
	if n.Bytes > available {
		return &Error{Need: n, Available: max(available, 0), Limit: limit}
	}
	return nil
}

// settings are the values that this package stores in a context.
type settings struct {
	most     float64 // limit of Go's memory in bytes; 0 means none
	name     string  // name of the limit
	assumed  bool    // the limit is a default and was not set by the user
	tell     func(string)
	reported *sync.Map
}

type key struct{}

// Named returns a context that limits Go's whole memory to the given bytes. Messages use the name of the limit.
func Named(ctx context.Context, bytes float64, name string) context.Context {
	s := from(ctx)
	s.most, s.name, s.assumed = bytes, name, false
	return context.WithValue(ctx, key{}, &s)
}

// Default is Named for a limit that the user has not set.
func Default(ctx context.Context, bytes float64, name string) context.Context {
	s := from(Named(ctx, bytes, name))
	s.assumed = true
	return context.WithValue(ctx, key{}, &s)
}

const (
	perFile     = 1e9 // bytes that reading any file may take
	perFileByte = 1e3 // further bytes per byte of the file
)

// File returns a context that limits the memory for reading a file of the given size, unless the user has set a limit. The
// limit is 1 GB plus 1 kB per byte above the present use. It matters because a compressed file of a few kilobytes can have
// millions of rows.
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

// Listening returns a context with a listener, to which Claim reports each need of at least 1 GB.
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

// looked returns the threshold in bytes below which a need is not checked.
func (s *settings) looked() float64 {
	if s != nil && s.most > 0 {
		return min(looked, s.most/8)
	}
	return looked
}

// available returns the number of bytes that may still be allocated, and the name of the smallest limit.
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
	free := float64(m.HeapIdle - m.HeapReleased) // idle memory that Go has kept
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

// usable is the part of the memory below a process limit that claims may use. The rest is a reserve for late garbage
// collection.
const usable = 0.9

// CollectInTime sets Go's memory limit, so that Go collects garbage early enough. Without it, garbage may grow to the size
// of the live memory, and a limit of the process crashes the program. Call it at the start, and again with the program's
// own limit in bytes; 0 means none. GOMEMLIMIT has priority.
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

// units are the units of sizes. KiB precedes KB so that longer names match first.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// mostMemory is the largest size that Parse accepts, in bytes.
const mostMemory = 1e18

// Parse parses a memory size: a positive number and a unit, such as 4GB, 500MB or 1.5GiB. It returns bytes.
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
