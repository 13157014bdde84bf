// Package kinds lists the kinds of values that functions of the script language return: their names, their Go types, and
// the functions with which a Go cell reads them. The language, the bridge to Go cells, package session and the reports all
// use this table.
//
// To add a kind, add a method to Views, a row in list, and the method in package report that displays a value. This
// package does not import report, so that a Go cell without displays does not link it.
package kinds

import (
	"cmp"
	"reflect"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Views converts a value of each kind to a V, its displayed form. Package report implements it.
type Views[V any] interface {
	Answer(answer.Answer) V
	Sweep(sim.Sweep) V
	Result(engine.Result) V
	Bounds(bounds.Report) V
	Plan(plan.Forecast) V
	Hardness(bounds.Hardness) V
	Spectrum(bounds.Spectrum) V
	Design(bounds.Design) V
	Paired(sim.Comparisons) V
	Speedup(sim.Speedup) V
	Fit(fit.Fit) V
	Explanation(engine.Explanation) V
	Problem(problem.Problem) V
	Protocol(campaign.Protocol) V
	Campaign(campaign.Status) V
	Worklist(campaign.List) V
	Receipt(campaign.Receipt) V
}

// Kind describes a kind of value and how Views[V] displays it.
type Kind[V any] struct {
	Name   string // name in messages of the language and in the bridge
	Plural bool   // the name has no article
	JSON   string // field "type" of a display in JSON; "" means Name
	// function that returns the value, if Name does not make it clear; otherwise ""
	Of string
	// function of package session that reads the value; "" if only session.Get does
	Reader string
	Type   reflect.Type          // Go type of the value
	View   func(Views[V], any) V // displays a value of this Type
}

// table holds the kinds in the order of list, and by Go type.
type table[V any] struct {
	all    []Kind[V]
	byType map[reflect.Type]Kind[V]
}

// tables caches one table per type V. Checking a script looks up each argument and each list element.
var tables sync.Map

func tableOf[V any]() *table[V] {
	t, ok := tables.Load(reflect.TypeFor[V]())
	if !ok {
		made := &table[V]{all: list[V]()}
		made.byType = lists.Keyed(made.all, func(_ int, k Kind[V]) (reflect.Type, Kind[V]) { return k.Type, k })
		t, _ = tables.LoadOrStore(reflect.TypeFor[V](), made)
	}
	return t.(*table[V])
}

// All returns the kinds in the order in which messages list them. The slice is shared and must not be changed.
func All[V any]() []Kind[V] { return tableOf[V]().all }

// list returns one row per kind.
func list[V any]() []Kind[V] {
	type views = Views[V]
	return []Kind[V]{
		row(Kind[V]{Name: "answer", JSON: "best", Of: "best", Reader: "Answer"}, views.Answer),
		row(Kind[V]{Name: "sweep", Reader: "Sweep"}, views.Sweep),
		row(Kind[V]{Name: "result", Reader: "Result"}, views.Result),
		row(Kind[V]{Name: "bounds", Plural: true, Of: "bounds", Reader: "Bounds"}, views.Bounds),
		row(Kind[V]{Name: "plan", Of: "plan", Reader: "Plan"}, views.Plan),
		row(Kind[V]{Name: "hardness", Plural: true, Of: "hardness", Reader: "Hardness"}, views.Hardness),
		row(Kind[V]{Name: "spectrum", Of: "spectrum", Reader: "Spectrum"}, views.Spectrum),
		row(Kind[V]{Name: "design", Of: "design", Reader: "Design"}, views.Design),
		row(Kind[V]{Name: "comparisons", Plural: true, JSON: "paired", Of: "paired", Reader: "Comparisons"}, views.Paired),
		row(Kind[V]{Name: "speedup", Of: "speedup", Reader: "Speedup"}, views.Speedup),
		row(Kind[V]{Name: "fit", Of: "fit", Reader: "Fit"}, views.Fit),
		row(Kind[V]{Name: "explanation", Of: "explain", Reader: "Explanation"}, views.Explanation),
		row(Kind[V]{Name: "problem", Reader: "Problem"}, views.Problem),
		row(Kind[V]{Name: "protocol", Of: "protocol", Reader: "Protocol"}, views.Protocol),
		row(Kind[V]{Name: "campaign", Of: "resume", Reader: "Campaign"}, views.Campaign),
		row(Kind[V]{Name: "worklist", Of: "ask", Reader: "Worklist"}, views.Worklist),
		row(Kind[V]{Name: "receipt", Of: "tell", Reader: "Receipt"}, views.Receipt),
	}
}

// row adds the Go type and the display function to a kind. Both follow from the type of view.
func row[T, V any](k Kind[V], view func(Views[V], T) V) Kind[V] {
	k.Type = reflect.TypeFor[T]()
	k.View = func(vs Views[V], v any) V { return view(vs, v.(T)) }
	k.JSON = cmp.Or(k.JSON, k.Name)
	return k
}

// Names returns the kinds for callers that do not display values.
func Names() []Kind[struct{}] { return All[struct{}]() }

// Of returns the kind of values with a Go type, or false if there is none.
func Of[V any](t reflect.Type) (Kind[V], bool) {
	k, ok := tableOf[V]().byType[t]
	return k, ok
}

// A returns the kind's name with its article, if it has one.
func (k Kind[V]) A() string {
	switch {
	case k.Plural:
		return k.Name
	case strings.IndexByte("aeiou", k.Name[0]) >= 0:
		return "an " + k.Name
	}
	return "a " + k.Name
}
