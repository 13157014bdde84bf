// Package dsl is the script language of gonb-cope. A script combines kernels, and defines problems, runs, sweeps and figures. It
// is a file (.cope) or a notebook cell (%%cope).
//
//	kx = linear() + 0.5*rbf(lengthscale=2)             // kernels of arms or tasks
//	p  = problem("trials.csv", kernel=task(identity()) * arm(kx), noise="task")
//	r  = fc(p, delta=0.05, runs=50)                    // fixed confidence
//	r                                                  // a bare expression is displayed
//	s  = sweep(r, delta=[0.01, 0.1])                   // repeats everything that depends on delta
//	plot(s, x="delta", y="samples")
//	"It took {r.samples:.0f} samples."                 // texts can contain values and their parts
//
// docs/reference/language.md describes the language for users. A Go caller takes three steps:
//
//	script, errs := dsl.Parse("demo.cope", text)  // syntax
//	errs = script.Check(dsl.Options{})            // names, types, kernels; reads no files
//	session := dsl.NewSession(dsl.Options{})      // holds the bound names
//	displays, err := session.Eval(ctx, script)    // checks, then runs
//
// A notebook kernel uses further methods of the session: CompleteItems and Inspect for the word at the cursor, Completeness for a
// console, Stale for outdated names, ErrorHTML for messages, and Put, Value and Closure for Go cells. Rewrite changes values in a
// script, and Paragraphs splits a script into notebook cells.
//
// A mistake in a script is an Error with place, message and hint. Up to five independent mistakes are returned together as
// Errors. After an interrupt, Eval returns the displays made so far, with an error that wraps the context's error.
//
// The package is structured like a compiler. internal/front parses text into statements with syntax trees; it uses the lexer and
// parser of expr. One evaluator (eval.go, operators.go, call.go) visits the trees, both to check a script and to run it. In a
// check, a call that reads files or makes runs returns a value whose type is known and whose data are not. The checker of expr is
// not used: with redefined operators it misses unknown names inside arguments, and its messages contain Go types. One table
// (catalogue.go) lists the functions with their parameters, ranges, choices, synonyms and texts. Checks, messages, help and
// documentation use this table. internal/formula compiles kernels that are written as formulas.
//
// A name is bound only once, so its value is determined by the names in its definition. Therefore a sweep evaluates again only
// what depends on the swept values, as a spreadsheet does, and a notebook can list outdated names. A sweep reads finished
// combinations from its store. An outline describes the rows of a sweep before it runs, so that checks can use it.
package dsl
