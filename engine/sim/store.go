package sim

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// ResultsRevision is part of the key under which results are stored. Raise it with every change
// that makes an experiment give another Result than before (random numbers, schedules,
// roundings, fields of Result): what was stored before is then run again.
const ResultsRevision = 30

// Store keeps the results of finished experiments in a file, so that a sweep that is
// made again, or goes on after an interrupt, does not make them again. It is safe for
// concurrent use by goroutines; a file belongs to one Store at a time.
//
// The file has one line of JSON a result and only grows. A line that was cut short
// when the program ended while writing it, or that a power cut left as zero bytes, is dropped when
// the file is opened again.
type Store struct {
	path  string
	file  *os.File
	mu    sync.Mutex
	size  int64                 // of the file
	safe  time.Time             // when it was last written to the disk
	lines map[string]storedLine // by key
}

// storedLine is a line of the file. Problem and algorithm are for people who read it. A line of
// another revision stays unchanged: no key of this one finds it, and its result may not be readable.
type storedLine struct {
	Key       string          `json:"key"`
	Revision  int             `json:"revision"`
	Problem   string          `json:"problem"`
	Algorithm string          `json:"algorithm"`
	Result    json.RawMessage `json:"result"`
	Special   []special       `json:"special,omitempty"`
}

// lineStart begins a line: a file that begins otherwise is not a store, and is left alone.
const lineStart = `{"key":"`

// OpenStore opens the store in a file, which it creates if it is missing. A file that another Store
// has open, and one with a line that is not a stored result, are errors.
func OpenStore(path string) (*Store, error) {
	if err := await.Regular(path); err != nil {
		return nil, err // it names the file
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err // it names the file
	}
	s := &Store{path: path, file: file, lines: map[string]storedLine{}}
	if ok, err := filelock.Try(file); !ok {
		return nil, errors.Join(fmt.Errorf("store %s: %w", path, cmp.Or(err, errInUse)), file.Close())
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// load reads the lines, and cuts off a last one that was not finished.
func (s *Store) load() error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	whole := 0
	for number := 1; whole < len(text); number++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 || whole+end+1 == len(text) && bytes.IndexByte(text[whole:], 0) >= 0 {
			break
		}
		line, err := parseLine(text[whole : whole+end])
		if err != nil {
			return fmt.Errorf("%s:%d: not a stored result: %w", s.path, number, err)
		}
		s.lines[line.Key] = line
		whole += end + 1
	}
	s.size = int64(whole)
	if whole == len(text) {
		return nil
	}
	torn := bytes.TrimRight(text[whole:], "\x00\n")
	// a file that begins with zeros may be anything
	zeros := text[whole] == 0 && (whole > 0 || len(torn) == 0)
	if n := min(len(torn), len(lineStart)); !zeros && string(torn[:n]) != lineStart[:n] {
		return fmt.Errorf("%s: not a store of results: its last line begins with %q", s.path, torn[:n])
	}
	if err := s.file.Truncate(s.size); err != nil {
		return fmt.Errorf("store %s: dropping its unfinished last line: %w", s.path, err)
	}
	return nil
}

// parseLine reads a line and checks that its result can be decoded.
func parseLine(text []byte) (storedLine, error) {
	var line storedLine
	if err := json.Unmarshal(text, &line); err != nil {
		return line, err
	}
	if len(line.Key) != keyLength {
		return line, fmt.Errorf("its key must have %d hexadecimal digits, got %q", keyLength, line.Key)
	}
	if line.Revision != ResultsRevision {
		return line, nil
	}
	_, err := line.decode()
	return line, err
}

// Run returns the stored result of an experiment, and true; or makes the runs, stores their result
// when all of them finished, and returns it and false. What comes from the store is the result bit
// by bit. Workers, Progress and Memory make no difference to a result; an experiment with its own
// Draw is an error, since two functions cannot be told apart.
func (s *Store) Run(ctx context.Context, x Experiment) (engine.Result, bool, error) {
	key, line, there, err := s.find(ctx, x)
	if err != nil {
		return engine.Result{}, false, err
	}
	if there {
		r, err := line.decode()
		algorithms.Describe(&r, x.Problem, x.Options)
		return r, err == nil, err
	}
	r, err := Run(ctx, x)
	if err != nil {
		return r, false, err
	}
	return r, false, s.keep(key, r)
}

// Has reports whether the store has the result of an experiment, as Run would find it.
func (s *Store) Has(ctx context.Context, x Experiment) (bool, error) {
	_, _, there, err := s.find(ctx, x)
	return there, err
}

// find returns the key of an experiment, and its line where there is one.
func (s *Store) find(ctx context.Context, x Experiment) (key string, line storedLine, there bool, err error) {
	if key, err = x.key(ctx); err != nil {
		return "", line, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line, there = s.lines[key]
	return key, line, there, nil
}

// Keep stores the result of an experiment that was made elsewhere, of all its runs.
func (s *Store) Keep(ctx context.Context, x Experiment, r engine.Result) error {
	if r.Runs != x.Runs {
		return fmt.Errorf("store %s: a result of %d of %d runs is not finished", s.path, r.Runs, x.Runs)
	}
	key, err := x.key(ctx)
	if err != nil {
		return err
	}
	return s.keep(key, r)
}

// errInUse refuses a file that another Store has open.
var errInUse = errors.New("it is in use by another sweep or program")

// keep appends a result, as one write.
func (s *Store) keep(key string, r engine.Result) error {
	r.Estimates = nil // which JSON leaves out
	line := storedLine{Key: key, Revision: ResultsRevision, Problem: r.Problem, Algorithm: r.Algorithm}
	var err error
	var text []byte
	if line.Result, line.Special, err = lossless(&r); err == nil {
		text, err = json.Marshal(line)
	}
	if err != nil {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.file.Write(append(text, '\n'))
	if err != nil { // as on a full disk: half a line must not stay before the next one
		return errors.Join(fmt.Errorf("store %s: %w", s.path, err), s.file.Truncate(s.size))
	}
	s.size += int64(n)
	s.lines[key] = line
	if time.Since(s.safe) < syncTime {
		return nil
	}
	s.safe = time.Now()
	return s.file.Sync()
}

// syncTime is the work that a power cut may undo. To wait for the disk after each line, about a
// millisecond, would double the time of small experiments.
const syncTime = time.Second

// Close lets others use the file.
func (s *Store) Close() error { return errors.Join(s.file.Sync(), s.file.Close()) }

// special is a number of a result that JSON has no way to write: the place in the
// order of floats, and the bits.
type special struct {
	At   int    `json:"at"`
	Bits uint64 `json:"bits,string"`
}

// decode returns the result that keep encoded.
func (l storedLine) decode() (engine.Result, error) {
	var r engine.Result
	return r, restore(&r, l.Result, l.Special)
}

// lossless encodes what v points to. The numbers that are not finite, and -0 that a field left
// out when empty would lose, are beside it, with 0 in their places.
func lossless(v any) (text json.RawMessage, beside []special, err error) {
	at := 0
	var places []reflect.Value
	floats(reflect.ValueOf(v), func(v reflect.Value) {
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) || (f == 0 && math.Signbit(f)) {
			beside = append(beside, special{at, math.Float64bits(f)})
			places = append(places, v)
		}
		at++
	})
	// The slices are the caller's, too: they get their numbers back.
	defer func() {
		for k, v := range places {
			v.SetFloat(math.Float64frombits(beside[k].Bits))
		}
	}()
	for _, v := range places {
		v.SetFloat(0)
	}
	text, err = json.Marshal(v)
	return text, beside, err
}

// restore is the inverse of lossless.
func restore(v any, text json.RawMessage, beside []special) error {
	if err := json.Unmarshal(text, v); err != nil {
		return err
	}
	at, next := 0, 0
	floats(reflect.ValueOf(v), func(v reflect.Value) {
		if next < len(beside) && beside[next].At == at {
			v.SetFloat(math.Float64frombits(beside[next].Bits))
			next++
		}
		at++
	})
	if next < len(beside) {
		return fmt.Errorf("its special number at %d has no place: the result has %d numbers", beside[next].At, at)
	}
	return nil
}

// floats visits the float64 values below v in a fixed order. JSON keeps that order and
// their number: lists keep their lengths, and an empty list has none either way.
func floats(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Float64:
		visit(v)
	case reflect.Pointer:
		if !v.IsNil() {
			floats(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			floats(v.Field(i), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			floats(v.Index(i), visit)
		}
	}
}

// keyLength is the number of hexadecimal digits of a key.
const keyLength = 2 * sha256.Size

// errDraw answers the question for the key of an experiment that cannot have one.
var errDraw = errors.New("an experiment with a reward function of its own cannot be stored: nothing distinguishes it from another function")

// key returns SHA-256 over all that a result depends on, in hexadecimal.
func (x Experiment) key(ctx context.Context) (string, error) {
	model, err := x.question().Model(ctx, nil)
	if err != nil {
		return "", err
	}
	return x.keyOf(ctx, model)
}

// keyOf returns the key of an experiment whose problem is bound to its kernel already.
//
// Of the kernel it has the text and also the features that it gives on the points: the
// text of a formula is its name, behind which there can be another function.
func (x Experiment) keyOf(ctx context.Context, model *model.Model) (string, error) {
	switch {
	case x.Draw != nil:
		return "", errDraw
	case x.Own != nil:
		return "", errOwn
	}
	p := x.Problem
	rank, values, err := ofKernel(model)
	if err != nil {
		return "", err
	}
	tasks, err := p.Kernel.TaskGram(ctx, p.Tasks)
	if err != nil {
		return "", fmt.Errorf("problem %q: %w", p.Name, err)
	}
	noise := p.Noise // all of it: its lists bit by bit
	noise.Scales, noise.SD, noise.Strength = nil, nil, strength(p)
	words, err := json.Marshal([]any{
		ResultsRevision, x.Mode, x.Algorithm, engine.NonZero(x.Options), x.Runs, x.Seed, x.Detail,
		p.Name, p.Tasks.Names, p.Arms.Names, p.TaskOf, p.Kernel.String(), engine.NonZero(noise), rank,
	})
	if err != nil {
		return "", fmt.Errorf("problem %q: %w", p.Name, err)
	}
	h := keyHash{sha256.New()}
	h.Write(words)
	h.numbers([]float64{model.Scale}, values, tasks.RawSymmetric().Data, p.Noise.Scales, p.Mean, p.Noise.SD)
	h.numbers(p.Rewards...)
	if p.Noise.Environment == problem.EnvironmentPosterior {
		fmt.Fprintf(h, "belief %d", belief.Revision)
		for _, d := range p.Digests() {
			h.Write([]byte(d))
		}
	}
	if p.Block != nil {
		fmt.Fprintf(h, "side by side %s %g", p.Block.Name, p.Block.Effect)
	}
	if p.Goal != problem.GoalMax { // which the estimates show by their sign
		h.Write([]byte("goal " + p.Goal))
	}
	if x.Mode == engine.ModeFB && p.KernelFound { // which some methods then learn in the run
		fmt.Fprintf(h, "kernel found, learned %d", belief.Revision)
	}
	if p.KernelFittedHere() { // which the guarantee of the result says
		h.Write([]byte("fitted here"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ofKernel returns the rank of the kernel on the points, and its features; of very many arms no rank,
// and the points instead of the features, unless there are formulas in the kernel.
func ofKernel(m *model.Model) (rank int, values []float64, err error) {
	if m.Features == nil && len(m.Problem.Kernel.Formulas()) == 0 {
		for _, points := range []*kernels.Points{m.Problem.Tasks, m.Problem.Arms} {
			values = append(values, slices.Concat(points.X...)...)
		}
		return 0, values, nil
	}
	if m, err = m.Exact(); err != nil {
		return 0, nil, err
	}
	return m.Rank(), m.Features.RawMatrix().Data, nil
}

// keyHash takes in numbers bit by bit.
type keyHash struct{ hash.Hash }

// numbers takes in lists with their lengths, so that none runs into the next.
func (h keyHash) numbers(lists ...[]float64) {
	b := binary.AppendUvarint(nil, uint64(len(lists)))
	for _, list := range lists {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	h.Write(b)
}
