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
	"maps"
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

// ResultsRevision is part of the key of stored results. Raise it with every change that alters a Result, such as random
// numbers, schedules, roundings, or fields of Result. Results of an older revision are then recomputed.
const ResultsRevision = 47

// Store keeps the results of finished experiments in a file, so that a repeated or resumed sweep does not recompute them. It is safe for
// concurrent use by goroutines; a file belongs to one Store at a time.
//
// The file has one line of JSON per result and is only appended to. When the file is opened, an incomplete last line, from a program that
// ended while writing or zero bytes after a power cut, is dropped.
type Store struct {
	path  string
	file  *os.File
	mu    sync.Mutex
	size  int64                 // size of the file
	safe  time.Time             // time of the last sync to disk
	lines map[string]storedLine // by key
}

// storedLine is a line of the file. Problem and Algorithm are for human readers. Lines of another revision stay in the
// file, but no key matches them.
type storedLine struct {
	Key       string          `json:"key"`
	Revision  int             `json:"revision"`
	Problem   string          `json:"problem"`
	Algorithm string          `json:"algorithm"`
	Result    json.RawMessage `json:"result"`
	Special   []special       `json:"special,omitempty"`
}

// lineStart is the beginning of every line. A file that begins otherwise is not a store and is not changed.
const lineStart = `{"key":"`

// OpenStore opens the store in the file path, and creates it if it does not exist. It also reads the results in other
// store files, which another program may be writing, and does not change them. It returns an error if another Store has
// path open, or if a line is not a stored result.
func OpenStore(path string, others ...string) (*Store, error) {
	if err := await.Regular(path); err != nil {
		return nil, err // the error already names the file
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err // the error already names the file
	}
	s := &Store{path: path, file: file, lines: map[string]storedLine{}}
	if ok, err := filelock.Try(file); !ok {
		return nil, errors.Join(fmt.Errorf("store %s: %w", path, cmp.Or(err, errInUse)), file.Close())
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	for _, other := range others {
		if err := s.read(other); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return s, nil
}

// MergeStores adds the results of other stores to the store in the file path. It returns the number of results in that
// store afterwards.
func MergeStores(path string, others ...string) (results int, err error) {
	s, err := OpenStore(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	all := &Store{lines: map[string]storedLine{}}
	for _, other := range others {
		if err := all.read(other); err != nil {
			return 0, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all.lines)) {
		if _, there := s.lines[key]; there {
			continue
		}
		if err := s.write(all.lines[key]); err != nil {
			return 0, err
		}
	}
	return len(s.lines), nil
}

// read adds the results of another file, which another program may be writing.
func (s *Store) read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = s.parse(path, text)
	}
	return err
}

// parse adds the complete lines of text, the contents of the file path. It returns the length of these lines.
func (s *Store) parse(path string, text []byte) (whole int, err error) {
	for number := 1; whole < len(text); number++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 || whole+end+1 == len(text) && bytes.IndexByte(text[whole:], 0) >= 0 {
			break
		}
		line, err := parseLine(text[whole : whole+end])
		if err != nil {
			return whole, fmt.Errorf("%s:%d: this line is not a stored result: %w", path, number, err)
		}
		s.lines[line.Key] = line
		whole += end + 1
	}
	return whole, nil
}

// load reads the lines of the store's file. It truncates the file before an incomplete last line.
func (s *Store) load() error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	whole, err := s.parse(s.path, text)
	if err != nil {
		return err
	}
	s.size = int64(whole)
	if whole == len(text) {
		return nil
	}
	torn := bytes.TrimRight(text[whole:], "\x00\n")
	// a file that begins with zero bytes may be anything, and is not changed
	zeros := text[whole] == 0 && (whole > 0 || len(torn) == 0)
	if n := min(len(torn), len(lineStart)); !zeros && string(torn[:n]) != lineStart[:n] {
		return fmt.Errorf("%s is not a store of results. Its last line begins with %q", s.path, torn[:n])
	}
	if err := s.file.Truncate(s.size); err != nil {
		return fmt.Errorf("store %s: dropping its unfinished last line: %w", s.path, err)
	}
	return nil
}

// parseLine decodes a line. For the current revision it also checks that the result can be decoded.
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

// Run returns the stored result of an experiment, and true. If there is none, it runs the experiment, stores the result if
// all runs finished, and returns it and false. A stored result is identical bit by bit. Workers, Progress and Memory do
// not affect results. An experiment with its own Draw gives an error, since two functions cannot be distinguished.
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

// find returns the key of an experiment, and its line if there is one.
func (s *Store) find(ctx context.Context, x Experiment) (key string, line storedLine, there bool, err error) {
	if key, err = x.key(ctx); err != nil {
		return "", line, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line, there = s.lines[key]
	return key, line, there, nil
}

// errInUse is returned for a file that another Store has open.
var errInUse = errors.New("it is in use by another sweep or program")

// keep stores a result.
func (s *Store) keep(key string, r engine.Result) error {
	line := storedLine{Key: key, Revision: ResultsRevision, Problem: r.Problem, Algorithm: r.Algorithm}
	var err error
	line.Result, line.Special, err = lossless(&r)
	if err != nil {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	return s.write(line)
}

// write appends a line to the file in one system call, and syncs the file if the last sync is more than syncTime ago.
func (s *Store) write(line storedLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("store %s: %w", s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.file.Write(append(text, '\n'))
	if err != nil { // for example the disk is full: remove the half-written line
		return errors.Join(fmt.Errorf("store %s: %w", s.path, err), s.file.Truncate(s.size))
	}
	s.size += int64(n)
	s.lines[line.Key] = line
	if time.Since(s.safe) < syncTime {
		return nil
	}
	s.safe = time.Now()
	return s.file.Sync()
}

// syncTime is the duration of work that a power cut may undo. A sync after each line takes about a millisecond, which
// would double the time of small experiments.
const syncTime = time.Second

// Close syncs and releases the file.
func (s *Store) Close() error { return errors.Join(s.file.Sync(), s.file.Close()) }

// special is a number that JSON cannot encode: its index among the numbers that floats visits, and its bits.
type special struct {
	At   int    `json:"at"`
	Bits uint64 `json:"bits,string"`
}

// decode returns the result that keep encoded.
func (l storedLine) decode() (engine.Result, error) {
	var r engine.Result
	return r, restore(&r, l.Result, l.Special)
}

// lossless encodes the value to which v points. JSON cannot encode non-finite numbers, and drops -0 in omitempty fields;
// these numbers are 0 in text and returned in beside.
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
	// the caller still uses the value, so restore its numbers
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
		return fmt.Errorf("its special number at %d is out of range, because the result has %d numbers", beside[next].At, at)
	}
	return nil
}

// floats calls visit for every float64 below v, in a fixed order. A value decoded from JSON has the same numbers in the
// same order.
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

// errDraw is the error for the key of an experiment with its own reward function.
var errDraw = errors.New("an experiment with your own reward function cannot be stored, because two functions cannot be told from each " +
	"other")

// key returns the SHA-256, in hexadecimal, of everything on which a result depends.
func (x Experiment) key(ctx context.Context) (string, error) {
	model, err := x.question().Model(ctx, nil)
	if err != nil {
		return "", err
	}
	return x.keyOf(ctx, model)
}

// keyOf is key for an existing model.
//
// The key includes the text of the kernel and its features on the points. The text of a formula is only its name, and
// another function may have the same name.
func (x Experiment) keyOf(ctx context.Context, model *model.Model) (string, error) {
	switch {
	case x.Draw != nil:
		return "", errDraw
	case x.Own != nil && x.Own.Digest == "":
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
	noise := p.Noise // the lists of noise are hashed separately, bit by bit
	noise.Scales, noise.SD = nil, nil
	words, err := json.Marshal([]any{
		ResultsRevision, x.Mode, x.Algorithm, engine.NonZero(x.Options), x.Runs, x.Seed, x.Detail, x.ForecastNorm,
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
	if p.Goal != problem.GoalMax { // affects the sign of the estimates
		h.Write([]byte("goal " + p.Goal))
	}
	if x.Mode == engine.ModeFB && p.KernelFound { // some methods learn the kernel during the run
		fmt.Fprintf(h, "kernel found, learned %d", belief.Revision)
	}
	if own := x.Own; own != nil {
		fmt.Fprintf(h, "own %q %q %d %d %d %t %t %t", own.Name, own.Digest, own.Role, own.Backing, own.Regression, own.Shares, own.Scheduled,
			own.DividedByV)
	}
	if p.KernelFittedHere() { // stated in the guarantee of the result
		h.Write([]byte("fitted here"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ofKernel returns the rank of the kernel and its features on the points. For very many arms without features, and a
// kernel without formulas, it returns rank 0 and the points instead of features.
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

// keyHash is a hash to which numbers are written bit by bit.
type keyHash struct{ hash.Hash }

// numbers writes lists with their lengths, so that different lists with the same concatenation differ.
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
