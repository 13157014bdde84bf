package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine"
)

// special is a number of a result that JSON has no way to write: the place in the
// order of floats, and the bits.
type special struct {
	At   int    `json:"at"`
	Bits uint64 `json:"bits,string"`
}

// newLine encodes a result.
func newLine(key string, r engine.Result) (storedLine, error) {
	r.Estimates = nil // which JSON leaves out
	line := storedLine{Key: key, Revision: ResultsRevision, Problem: r.Problem, Algorithm: r.Algorithm}
	var err error
	line.Result, line.Special, err = lossless(&r)
	return line, err
}

// decode returns the inverse of newLine.
func (l storedLine) decode() (engine.Result, error) {
	var r engine.Result
	return r, restore(&r, l.Result, l.Special)
}

// lossless encodes what v points to. The numbers that are not finite, and -0 that a field left
// out when empty would lose, stand beside it, with 0 in their places.
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
