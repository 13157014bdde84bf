package dsl

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
)

// compileRows is the problem.Compiler of the language: expressions of expr (github.com/expr-lang/expr) on the columns
// of a row by their names, or by col("a name") where a name is no identifier, with log10, log, exp and sqrt.
func compileRows(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error) {
	env := map[string]any{"col": func(string) any { return nil }}
	for k, name := range columns {
		if env[name] = any(""); numbers[k] {
			env[name] = 0.0
		}
		if strings.Contains(expression, name) {
			reads = append(reads, name)
		}
	}
	opts := []expr.Option{expr.Env(env)}
	for name, f := range map[string]func(float64) float64{"log10": math.Log10, "log": math.Log, "log2": math.Log2, "exp": math.Exp,
		"sqrt": math.Sqrt} {
		opts = append(opts, expr.Function(name, func(args ...any) (any, error) {
			switch v := args[0].(type) {
			case float64:
				return f(v), nil
			case int:
				return f(float64(v)), nil
			}
			return nil, fmt.Errorf("%s needs a number, got %v", name, args[0])
		}, new(func(float64) float64), new(func(int) float64), new(func(any) float64)))
	}
	program, err := expr.Compile(expression, opts...)
	if err != nil {
		return nil, nil, firstLine(err)
	}
	evaluate = func(row []any) (any, error) {
		at := map[string]any{}
		for k, name := range columns {
			at[name] = row[k]
		}
		var missing string
		at["col"] = func(name string) any {
			v, ok := at[name]
			if !ok {
				missing = name
			}
			return v
		}
		v, err := expr.Run(program, at)
		if missing != "" {
			return nil, fmt.Errorf("there is no column %q", missing)
		}
		if err != nil {
			return nil, firstLine(err)
		}
		return v, nil
	}
	return evaluate, reads, nil
}

// firstLine keeps what an error of expr says, without the lines that show where: an expression is one line.
func firstLine(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		return errors.New(at.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}
