package kernel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// A cell that lacks its first line says so at once, without a compiler.
func TestMissingFirstLine(t *testing.T) {
	f := start(t, "PATH=") // not even go can be found
	f.execute("%%cope\nr = fb(paper(1), 100)").ok(t)
	for code, want := range map[string]string{
		"p = problem(\"a.csv\", kernel=arm(linear()))":  "this cell is Go; a script begins with the line %%cope",
		"// my problem\n\np = paper(case=2)\nbounds(p)": "this cell is Go; a script begins with the line %%cope",
		"r":                              "this cell is Go; a script begins with the line %%cope",
		"bump(x, y) = x[0]*y[0]":         "this cell is Go; a script begins with the line %%cope",
		"fmt.Println(\"hi\")":            "statements go after a line %%",
		"x := 3\nfmt.Println(x)":         "statements go after a line %%",
		"import \"fmt\"\n\nfmt.Print(1)": "statements go after a line %%: put one before line 3",
		"for i := range 3 {\n\tfmt.Println(len(\"ab\"), i)\n}": "statements go after a line %%",
	} {
		reply := f.execute(code).reply
		said := fmt.Sprint(reply["traceback"])
		if reply["status"] != "error" || reply["ename"] != "CompileError" || !strings.Contains(said, "= hint: "+want) || !strings.Contains(said, "^") {
			t.Errorf("%s: %v\n%s", code, reply["ename"], said)
		}
	}
	for _, code := range []string{"func f() int { return 1 }", "!ls", "%%writefile a.txt\nr", "var x = y +", "a b c d"} {
		if reply := f.execute(code).reply; strings.Contains(fmt.Sprint(reply["traceback"]), "%%cope") {
			t.Errorf("%s: %v", code, reply["traceback"])
		}
	}
}

func TestCompleteMagics(t *testing.T) {
	f := start(t, "PATH=")
	for text, want := range map[string]string{
		"%|":                   "%%cope %% %main",
		"%%|":                  "%%cope %% %%bash",
		"%%c|":                 "%%cope",
		"  %%c|":               "%%cope",
		"// a script\n\n%%co|": "%%cope",
		"var x = 1\n%%|":       "%%",
		"var x = 1\n%m|":       "%main",
		"%%cope\n%|":           "pi linear constant", // names of a script
		"%cd |":                "",
	} {
		code, cursor := strings.Replace(text, "|", "", 1), strings.Index(text, "|")
		reply := f.ask(jupyter.ShellChannel, "complete_request", map[string]any{"code": code, "cursor_pos": cursor})
		var matches []string
		for _, m := range reply["matches"].([]any) {
			matches = append(matches, m.(string))
		}
		got := strings.Join(matches[:min(len(matches), 3)], " ")
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if strings.HasPrefix(want, "%") && code[int(reply["cursor_start"].(float64)):cursor] != strings.TrimSpace(code[strings.LastIndex(code, "\n")+1:cursor]) {
			t.Errorf("%q: replaces from %v", text, reply["cursor_start"])
		}
	}
}
