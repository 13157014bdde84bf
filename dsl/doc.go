// Package dsl is the script language of gonb-cope: kernels by algebra, problems,
// runs, sweeps and figures, in files (.cope) and in notebook cells (%%cope).
//
//	kx = linear() + 0.5*rbf(lengthscale=2)             // kernels of arms or tasks
//	p  = problem("trials.csv", kernel=task(identity()) * arm(kx), noise="task")
//	r  = fc(p, delta=0.05, runs=50)                    // fixed confidence
//	r                                                  // a bare expression is displayed
//	s  = sweep(r, delta=[0.01, 0.1])                   // evaluates again what depends on delta
//	plot(s, x="delta", y="samples")
//	"It took {r.samples:.0f} samples."                 // values have parts, texts show them
//
// docs/reference/language.md describes it for users. For callers there are three steps:
//
//	script, errs := dsl.Parse("demo.cope", text)  // form
//	errs = script.Check(dsl.Options{})            // names, types, kernels; reads nothing
//	session := dsl.NewSession(dsl.Options{})      // keeps what scripts bind
//	displays, err := session.Eval(ctx, script)    // checks, then runs
//
// A notebook kernel asks more of the same session: CompleteItems and Inspect for the
// place of a cursor, Completeness for a console, Stale, ErrorHTML for what went wrong,
// and for Go cells Put, Value and Closure. Rewrite and Paragraphs make notebooks of
// scripts and give their parameters other values.
//
// A mistake of the user is an Error with place, message and hint; up to five that do
// not depend on each other come together as Errors. An interrupt returns the displays made
// so far, with an error that wraps the context's.
//
// The package is laid out as a compiler. internal/front makes statements with syntax trees out of
// text, by the lexer and parser of expr. One evaluator (eval.go, operators.go, algebra.go, call.go)
// walks the trees, both to check and to run: while it checks, calls that read or run anything give
// a value of known type and unknown content. expr's own checker is not used: as soon as an operator
// is redefined, it no longer sees unknown names inside arguments, and its messages speak of Go
// types. One table (catalogue.go) has the functions, with their parameters, ranges, choices,
// synonyms and texts: it feeds checks, messages, help and the documentation. internal/formula
// compiles kernels that are written as formulas.
//
// A name is bound once, so it represents its definition. That makes sweep a
// re-evaluation of all that depends on the swept values, as in a spreadsheet, and lets a
// notebook state what is stale. A combination whose result is in the sweep's store is
// read from there; what a sweep will have, for checks before it runs, is its outline.
package dsl
