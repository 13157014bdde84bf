package bridge

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestNothingIsLost sends a value of each kind in which every exported field has a different value,
// and compares what arrives: a field that is added later and does not travel fails here.
func TestNothingIsLost(t *testing.T) {
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 2, Task: kernels.Identity{}, Arm: kernels.RBF{Lengthscale: []float64{3}}}}, Fitted: []string{"data"}}
	points := try.Of(kernels.NewPoints([]string{"x_1"}, []string{"a", "b"}, [][]float64{{1}, {2}}))
	points.Units = []kernels.Unit{{Offset: 5, Range: 6}}
	var p problem.Problem
	var f fit.Fit
	var s sim.Sweep
	var days campaign.Protocol
	filler := &filler{}
	for _, v := range []any{&p, &f, &s, &days} {
		filler.fill(reflect.ValueOf(v).Elem(), 0)
	}
	// what a problem must be
	p.Tasks, p.Arms, p.TaskOf, p.Kernel = points, points, []int{0, 1}, joint
	p.Noise.Scales, p.Mean, p.Noise.SD, p.Reps, p.Noise.UnknownBy, p.Noise.Bounds = []float64{2, 2}, []float64{4, 5}, []float64{6, 7}, []float64{8, 9}, problem.UnknownTask, &[2]float64{4, 8}
	p.Rewards = [][]float64{{1, 2}, {3}}
	f.Kernel, days.Problem, days.Earlier = joint, &p, []*problem.Problem{&p}
	for i := range s.Rows {
		s.Rows[i].Values = []any{0.5, "auto"}
	}
	prepared := map[reflect.Type]any{reflect.TypeOf(p): &p, reflect.TypeOf(f): f, reflect.TypeOf(s): s, reflect.TypeOf(days): days}
	var values []any
	for _, k := range kinds.Names() {
		v, ok := prepared[k.Type]
		if !ok {
			made := reflect.New(k.Type).Elem()
			filler.fill(made, 0)
			v = made.Interface()
		}
		values = append(values, v)
	}
	for _, v := range values {
		got := round(t, v)
		if diff := cmp.Diff(v, got, cmpopts.IgnoreUnexported(kernels.Points{}, problem.Long{}, campaign.ListRow{})); diff != "" {
			t.Errorf("%T (-sent +received):\n%s", v, diff)
		}
	}
}

// TestZeroIsNotUnknown sends pointers to zero values, which differ from nil: a wrong answer, a
// p-value of 0.
func TestZeroIsNotUnknown(t *testing.T) {
	var r engine.Result
	(&filler{}).fill(reflect.ValueOf(&r).Elem(), 0)
	pointers(reflect.ValueOf(&r), func(p reflect.Value) { p.Elem().SetZero() })
	if diff := cmp.Diff(r, round(t, r)); diff != "" {
		t.Errorf("of zeros (-sent +received):\n%s", diff)
	}
	pointers(reflect.ValueOf(&r), func(p reflect.Value) { p.SetZero() })
	if diff := cmp.Diff(r, round(t, r)); diff != "" {
		t.Errorf("of unknown values (-sent +received):\n%s", diff)
	}
}

// TestZeroOfEveryKind sends values of the kinds that gob carries unchanged, with zeros behind their pointers: a
// reward of 0 on a list is a measurement, and none is not.
func TestZeroOfEveryKind(t *testing.T) {
	for kind, of := range plainKinds() {
		if slices.ContainsFunc(packedKinds(), func(k packedKind) bool { return k.kind == kind }) {
			continue // which travel in parts
		}
		v := reflect.New(of)
		(&filler{}).fill(v.Elem(), 0)
		for _, change := range []func(reflect.Value){
			func(p reflect.Value) { p.Elem().SetZero() },
			func(p reflect.Value) { p.SetZero() },
		} {
			pointers(v.Elem(), change)
			if diff := cmp.Diff(v.Elem().Interface(), round(t, v.Elem().Interface()), cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(kernels.Points{}, problem.Long{}, campaign.ListRow{})); diff != "" {
				t.Errorf("%s (-sent +received):\n%s", kind, diff)
			}
		}
	}
}

// TestProtocol sends a protocol with its problem, and the problem with its kernel.
func TestProtocol(t *testing.T) {
	p := try.Of(problem.PaperCase(1, 0.5))
	late := 0.0
	sent := campaign.Protocol{Name: "days", Problem: p, Algorithm: "CoTestFC", Plate: 24, Late: &late, Forecast: &campaign.Forecast{Runs: 3}}
	got, ok := round(t, sent).(campaign.Protocol)
	if !ok || got.Name != "days" || got.Plate != 24 || got.Late == nil || got.Forecast.Runs != 3 {
		t.Fatalf("received %+v", got)
	}
	if got.Problem.N() != p.N() || got.Problem.Kernel.String() != p.Kernel.String() {
		t.Errorf("received the problem %+v", got.Problem)
	}
	if got.Fingerprint() != sent.Fingerprint() {
		t.Error("the protocol that arrives is another one")
	}
}

// filler gives fields values, each another one.
type filler struct{ n int }

// fill fills what gob can carry, as deep as types go that do not hold themselves.
func (f *filler) fill(v reflect.Value, depth int) {
	const deepest = 12
	if depth > deepest {
		return
	}
	f.n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(int64(f.n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(f.n % 100))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), depth+1)
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(0.5))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}
