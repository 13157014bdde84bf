package kernel

import (
	"fmt"
	"regexp"
	"strings"
)

// magicLine finds the line that says what kind of cell it is: the first that is
// neither blank nor a comment. GoNB's Jupytext form, a comment that begins with
// //gonb:, counts as what follows it. index is -1 when there is none.
func magicLine(lines []string) (index int, text string) {
	for i, line := range lines {
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if rest, ok := strings.CutPrefix(text, "//gonb:"); ok {
			text = strings.TrimSpace(rest)
		} else if text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		return i, text
	}
	return -1, ""
}

// copeBody returns the script of a %%cope cell, with every line where it stands in
// the cell, so that messages point into what the user sees.
func copeBody(code string) (body string, is bool, failed *failure) {
	lines := strings.Split(code, "\n")
	at, text := magicLine(lines)
	rest, is := strings.CutPrefix(text, "%%cope")
	if !is || rest != "" && strings.TrimLeft(rest, " \t") == rest {
		return "", false, nil
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		text := fmt.Sprintf("line %d: %%%%cope takes nothing after it, got %q: the script begins in the next line", at+1, rest)
		return "", true, &failure{Name: "CopeError", Value: text, Traceback: []string{text}}
	}
	lines[at] = ""
	return strings.Join(lines, "\n"), true, nil
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
