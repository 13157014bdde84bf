package dsl

import "strings"

// foreign has words of other tools, in lower case, and what says the same here.
var foreign = func() map[string]string {
	const (
		read     = `problem(data="runs.csv", task=, arm=, reward=) reads a table; gonb-cope best runs.csv lists its columns`
		write    = `save(value, "file.csv") writes files: csv, json, html, parquet, png and others`
		answer   = "best(p) says which arm is best by what was measured; with next=12 also what to measure next"
		lowest   = `best(p) answers from measurements; where lower is better, write problem(..., goal="min")`
		simulate = "fc(p) and fb(p, budget=) simulate an algorithm; best(p) answers from measurements"
		process  = `kernel="auto" of problem, the default, finds a Gaussian process by itself; rbf(...) and matern(...) state its kernel, fit(p) fits one`
		bayes    = `CoBayesFC of fc(p) and CoTestFB of fb(p, budget=), the default, go by a posterior; best(p, next=12) proposes by expected gain`
		look     = "a value alone in a line is shown, with its parts; plot(value) draws it"
		logs     = `log="lr" of problem takes the logarithm of a column, arm="log10(lr)" computes one; best(p) also finds it by itself`
		inPlace  = "a name is bound to what an expression gives: q = with_kernel(p, ...)"
	)
	out := map[string]string{
		"true": "write true", "false": "write false", "none": "leave the argument out", "null": "leave the argument out",
		"nan":        "leave the argument out",
		"help":       "in a notebook write fc? in a line, or press Shift and Tab; docs/functions.md has every function",
		"auto":       `kernel="auto" is the default of problem: leave kernel out`,
		"set_kernel": inPlace, "append": inPlace, "numpy": "all functions are there: exp, sqrt, sum, ...; a Go cell can import packages",
	}
	for hint, words := range map[string]string{
		read:  "read_csv read_excel read_table read_parquet readtable read.csv load load_csv loadtxt dataframe open csv df pd pandas pl polars",
		write: "to_csv to_excel to_json to_parquet to_latex to_html savefig dump write_csv write.csv savetxt",
		answer: "predict suggest recommend best best_params best_arm best_params_ best_value best_trial argmax winner answer " +
			"predictions posterior",
		lowest:   "minimize minimise fmin maximize maximise optimize optimise argmin gp_minimize forest_minimize",
		simulate: "run simulate experiment study trial create_study",
		process:  "gp gpr gaussianprocess gaussianprocessregressor singletaskgp multitaskgp botorch gpytorch sklearn gauche",
		bayes: "ei ucb pi lcb ts thompson thompson_sampling expected_improvement qei qlognei qucb kg knowledge_gradient " +
			"acquisition bo bayes bayesian tpe",
		countsHint: "bernoulli binomial likelihood family binary",
		logs:       "scale log_scale logx logscale log10_scale loguniform transform transforms",
		look:       "head tail describe summary info display shape columns dtypes",
	} {
		for _, word := range strings.Fields(words) {
			out[word] = hint
		}
	}
	return out
}()

// foreignWord returns what says here what a word says elsewhere; "" of others.
func foreignWord(word string) string { return foreign[strings.ToLower(word)] }
