// Package kinds lists the kinds of value that functions of the script language return: their names, their Go types, and how a Go
// cell reads them. The language, the bridge to Go cells, package session and the reports use this one table, so that each kind is
// in all of them.
//
// A new kind needs a line in Views, a row in list, and a method of that name in package report, which displays a value of the kind.
// This package does not import report, so that a Go cell without displays does not link it.
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

// Views displays a value of each kind as a V; package report implements it.
type Views[V any] interface {
	Answer(answer.Answer) V
	Sweep(sim.Sweep) V
	Result(engine.Result) V
	Bounds(bounds.Report) V
	Plan(plan.Forecast) V
	WhatIf(plan.Comparison) V
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

// Kind describes a kind of value, and how a Views[V] displays one.
type Kind[V any] struct {
	Name   string // in messages of the language and between processes
	Plural bool   // the name has no article
	JSON   string // the "type" of a display; "" means Name
	// the function that returns the value, if Name is not clear enough; otherwise ""
	Of string
	// the function of package session that reads it; "" if only session.Get does
	Reader string
	Type   reflect.Type          // type of the value in Go
	View   func(Views[V], any) V // of a value of this Type
}

// table holds the kinds in order, and by their Go types.
type table[V any] struct {
	all    []Kind[V]
	byType map[reflect.Type]Kind[V]
}

// tables caches the tables by the type of V: a check of a script looks up every argument, and every element of a list.
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

// All returns the kinds in the order of messages. The list is shared and must not be changed.
func All[V any]() []Kind[V] { return tableOf[V]().all }

// list returns a row for each kind.
func list[V any]() []Kind[V] {
	type views = Views[V]
	return []Kind[V]{
		row(Kind[V]{Name: "answer", JSON: "best", Of: "best", Reader: "Answer"}, views.Answer),
		row(Kind[V]{Name: "sweep", Reader: "Sweep"}, views.Sweep),
		row(Kind[V]{Name: "result", Reader: "Result"}, views.Result),
		row(Kind[V]{Name: "bounds", Plural: true, Of: "bounds", Reader: "Bounds"}, views.Bounds),
		row(Kind[V]{Name: "plan", Of: "plan", Reader: "Plan"}, views.Plan),
		row(Kind[V]{Name: "what_if table", JSON: "what_if", Of: "what_if", Reader: "WhatIf"}, views.WhatIf),
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

// row completes a row with the Go type of its view.
func row[T, V any](k Kind[V], view func(Views[V], T) V) Kind[V] {
	k.Type = reflect.TypeFor[T]()
	k.View = func(vs Views[V], v any) V { return view(vs, v.(T)) }
	k.JSON = cmp.Or(k.JSON, k.Name)
	return k
}

// Names returns the kinds for callers that display nothing.
func Names() []Kind[struct{}] { return All[struct{}]() }

// Of returns the kind of values of a Go type.
func Of[V any](t reflect.Type) (Kind[V], bool) {
	k, ok := tableOf[V]().byType[t]
	return k, ok
}

// A returns the name with its article.
func (k Kind[V]) A() string {
	switch {
	case k.Plural:
		return k.Name
	case strings.IndexByte("aeiou", k.Name[0]) >= 0:
		return "an " + k.Name
	}
	return "a " + k.Name
}
