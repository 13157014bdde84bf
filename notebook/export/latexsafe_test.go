package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// texAttacks read the file %[1]s, replace the file %[2]s, or make the file %[3]s.
var texAttacks = []string{
	`\VerbatimInput{%[1]s}`,
	`\InputIfFileExists{%[1]s}{}{}`,
	`^^5cinput{%[1]s}`,
	`\^^69nput{%[1]s}`,
	`\input{%[1]s}`,
	`\input %[1]s `,
	`\makeatletter\@@input %[1]s \makeatother`,
	`\makeatletter\@input{%[1]s}\makeatother`,
	`\csname input\endcsname %[1]s `,
	`\UseName{input}{%[1]s}`,
	`\scantokens{\input{%[1]s}}`,
	`\catcode92=12 \catcode64=0 @input{%[1]s}`,
	`\lstinputlisting{%[1]s}`,
	`\includegraphics{%[1]s}`,
	`\begingroup\lccode46=92 \lowercase{\endgroup.input}{%[1]s}`,
	`\newread\r\openin\r=%[1]s \read\r to\x\x`,
	`\begin{filecontents*}[overwrite]{%[2]s}` + "\nreplaced\n" + `\end{filecontents*}`,
	`\begin{VerbatimOut}{%[2]s}` + "\nreplaced\n" + `\end{VerbatimOut}`,
	`\newwrite\w\immediate\openout\w=%[2]s\immediate\write\w{replaced}\immediate\closeout\w`,
	`\immediate\write18{touch %[3]s}`,
	`\imm^^65diate\wri^^74e18{touch %[3]s}`,
	`\ShellEscape{touch %[3]s}`,
	`\directlua{os.execute("touch %[3]s")}`,
	`\special{dvips:touch %[3]s}`,
	`\end{tabular}\VerbatimInput{%[1]s}\begin{tabular}{l}`,
}

// texTargets are the files that an attack is after.
type texTargets struct{ folder, canary, old, made string }

// attackedTeX returns a report whose outputs, formulas and Markdown attack in these ways.
func attackedTeX(t *testing.T, patterns ...string) texTargets {
	t.Helper()
	elsewhere, folder := t.TempDir(), t.TempDir()
	f := texTargets{folder, filepath.ToSlash(filepath.Join(elsewhere, "canary.txt")), "old.txt", "made"}
	for path, text := range map[string]string{f.canary: "CANARYWORD", filepath.Join(folder, f.old): "unchanged"} {
		try.To(os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	cells := []notebook.Cell{}
	for _, pattern := range patterns {
		a := fmt.Sprintf(pattern, f.canary, f.old, f.made)
		cells = append(cells, markdownCell("$\\tag{"+a+"} x$ and $\\text{"+a+"}$ and $\\operatorname{"+a+"}$\n\n$$\\label{"+a+"}$$\n\n[^1]\n\n[^1]: "+a+"\n"))
		for _, s := range []string{a, "\\begin{tabular}{l}\n" + a + "\n\\end{tabular}", "\\begin{center}" + a + "\\end{center}", "$\\tag{" + a + "}$", "$$" + a + "$$", "\\begin{tabular}{p{" + a + "}}x\\end{tabular}"} {
			cells = append(cells, codeCell(a, nil, shows("text/latex", s), shows("text/latex", s, report.MediaType, "x"), shows("text/markdown", "$$"+s+"$$")))
		}
	}
	t.Setenv("CHROME_PATH", filepath.Join(folder, "none")) // no drawing here needs a browser
	try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), book(cells...), Options{}))
	return f
}

var (
	verbatimText = regexp.MustCompile(`(?s)\\begin\{Verbatim\}.*?\\end\{Verbatim\}`)
	texDanger    = regexp.MustCompile(`\\(VerbatimInput|VerbatimOut|InputIfFileExists|@?@?input|csname|UseName|scantokens|catcode|lccode|lstinputlisting|includegraphics|newread|newwrite|openin|openout|immediate|write|ShellEscape|directlua|special|makeatletter)|\\begin\{(filecontents|VerbatimOut)|\^\^`)
)

// Outside of text that is set unchanged, a report has no command of an attack.
func TestLaTeXOfAttacks(t *testing.T) {
	f := attackedTeX(t, texAttacks...)
	data := try.Of(os.ReadFile(filepath.Join(f.folder, "r.tex")))
	_, body, _ := strings.Cut(string(data), "\\begin{document}")
	body = verbatimText.ReplaceAllString(body, "")
	for _, m := range texDanger.FindAllStringIndex(body, 20) {
		t.Errorf("the report has …%.80s", body[max(m[0]-20, 0):])
	}
}

// Compiling a report neither reads, replaces nor creates a file of the user, even if LaTeX may start programs. All attacks
// are in one report; if that fails, each gets its own.
func TestLaTeXTouchesNoFile(t *testing.T) {
	program, words := need(t, "pdflatex"), need(t, "pdftotext")
	touched := func(attacks ...string) error {
		f := attackedTeX(t, attacks...)
		out, err := run(t, f.folder, program, "-interaction=nonstopmode", "-shell-escape", "r.tex")
		if err != nil {
			return fmt.Errorf("pdflatex: %v\n%s", err, out[max(0, len(out)-500):])
		}
		text, err := run(t, f.folder, words, "r.pdf", "-")
		if err != nil || strings.Contains(text, "CANARYWORD") {
			return fmt.Errorf("the PDF holds a file of another folder: %v", err)
		}
		if got, err := os.ReadFile(filepath.Join(f.folder, f.old)); err != nil || string(got) != "unchanged\n" {
			return fmt.Errorf("the file beside it is now %q, %v", got, err)
		}
		if _, err := os.Stat(filepath.Join(f.folder, f.made)); err == nil {
			return errors.New("a program was started")
		}
		return nil
	}
	if err := touched(texAttacks...); err != nil {
		t.Errorf("all attacks: %v", err)
		for _, attack := range texAttacks {
			if err := touched(attack); err != nil {
				t.Errorf("%s: %v", attack, err)
			}
		}
	}
}

// Names in any writing compile, and those that pdflatex has no letters for are written as their
// codes.
func TestLaTeXOfAllWritings(t *testing.T) {
	program, words := need(t, "pdflatex"), need(t, "pdftotext")
	table := report.Table{Caption: "Θεσσαλονίκη 😀", Columns: []report.Column{{Name: "a", Title: "Größe µ, Čapek"}, {Name: "b", Title: "结果"}}, Rows: [][]any{{"α=1, β≤2", "東京"}, {"žluťoučký e\u0301", "привет"}}}
	var b bytes.Buffer
	try.To(report.LaTeX(&b, report.Document{Displays: []report.Display{{Value: table}}}))
	dir := t.TempDir()
	try.To(os.WriteFile(filepath.Join(dir, "r.tex"), []byte("\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"+b.String()+"\n\\end{document}\n"), 0o600))
	if out, err := run(t, dir, program, "-interaction=nonstopmode", "-halt-on-error", "r.tex"); err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-600):])
	}
	if text, err := run(t, dir, words, "r.pdf", "-"); err != nil || !strings.Contains(text, "[U+6771][U+4EAC]") {
		t.Errorf("%v, no code of 東京 in\n%s", err, text)
	}
}

// A footnote that refers to itself, directly or by others, is written once; notes in
// notes are kept, and those that double at each level do not grow without end.
func TestLaTeXFootnotes(t *testing.T) {
	doubling := "x[^n0]\n\n"
	for i := range 60 {
		doubling += fmt.Sprintf("[^n%d]: t%d[^n%d][^n%[3]d]\n\n", i, i, i+1)
	}
	doubling += "[^n60]: last\n"
	for _, c := range []struct {
		name, source string
		want         []string // each once
	}{
		{"itself", "x[^a]\n\n[^a]: yword[^a]\n", []string{"yword"}},
		{"a cycle", "x[^a]\n\n[^a]: yword[^b]\n\n[^b]: zword[^c]\n\n[^c]: uword[^a]\n", []string{"yword", "zword", "uword"}},
		{"nested", "x[^a]\n\n[^a]: yword[^b]\n\n[^b]: zword\n", []string{"yword", "zword"}},
		{"doubling", doubling, []string{"t0", "t59", "last"}},
	} {
		folder := t.TempDir()
		try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), book(markdownCell(c.source)), Options{Title: "T"}))
		data := try.Of(os.ReadFile(filepath.Join(folder, "r.tex")))
		for _, want := range c.want {
			if n := strings.Count(string(data), want); n != 1 {
				t.Errorf("%s: %q occurs %d times, want once", c.name, want, n)
			}
		}
	}
	// Two references outside of notes give the text twice, as they did.
	if got := saved(t, book(markdownCell("x[^a] y[^a]\n\n[^a]: note")), ".tex", Options{}); strings.Count(got, `\footnote{note}`) != 2 {
		t.Errorf("two references give %q", got)
	}
}
