package notebookkernel

import (
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// copeBody returns the script of a %%cope cell, with every line where it stands in
// the cell, so that messages point into what the user sees.
func copeBody(code string) (body string, is bool, failed *failure) {
	body, is, err := dsl.Cell(code)
	if err != nil {
		failed = &failure{Name: "CopeError", Value: err.Error(), Traceback: []string{err.Error()}}
	}
	return body, is, failed
}

// questionLine is a line such as "rbf?", which asks for help as in IPython.
var questionLine = regexp.MustCompile(`^\s*(?:\?\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*\?)\s*$`)

// questions takes the lines that ask for help out of a script and returns the names
// they ask about.
func questions(body string) (script string, names []string) {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if m := questionLine.FindStringSubmatch(line); m != nil {
			names = append(names, m[1]+m[2])
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n"), names
}

// isCope reports whether a cell, finished or not, is a %%cope cell.
func isCope(code string) bool {
	_, is, _ := copeBody(code)
	return is
}
