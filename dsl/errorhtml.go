package dsl

import (
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/report"
)

// ErrorHTML writes an error of Parse, Check or Eval as HTML to stand inside a page,
// such as a notebook cell: message, place, the line with the wrong part marked and
// underlined, cause and hint. Any other error is its message.
func ErrorHTML(err error) string {
	var found Errors
	var single *Error
	switch {
	case errors.As(err, &found):
	case errors.As(err, &single):
		found = Errors{single}
	default:
		return report.MistakesHTML([]report.Mistake{{Message: err.Error()}})
	}
	mistakes := make([]report.Mistake, len(found))
	for i, e := range found {
		m := report.Mistake{
			Message: e.Message, Place: fmt.Sprintf("%s, line %d, column %d", e.File, e.Line, e.Col), Line: e.Line,
			Underline: e.Underline(), Cause: e.Cause, Hint: e.Hint,
		}
		m.Before, m.Wrong, m.After = e.Excerpt()
		mistakes[i] = m
	}
	return report.MistakesHTML(mistakes)
}
