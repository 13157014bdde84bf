package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// latexAttack is a text of people, from their tables to their reasons: it reads a file, writes one, ends the document and
// what encloses it, and makes control characters in the way of TeX.
const latexAttack = `\input{canary}\write18{touch made}\immediate\openout5=made \immediate\write5{x}}{ $ $$ & # _ ^ ~ % ^^5cinput{canary} \end{tabular}\end{document} \csname input\endcsname \catcode64=0 @input \def\x{\x}\x`

// The report of a campaign whose tasks, arms, people, notes and reasons attack LaTeX compiles to its end with these as text, and
// touches no file, even where programs may be started.
func TestCampaignReportLaTeX(t *testing.T) {
	pdflatex, pdftotext := program(t, "pdflatex", "texlive-latex-recommended"), program(t, "pdftotext", "poppler-utils")
	dir := t.TempDir()
	table := fmt.Sprintf("task,arm,x_1\n\"%s\",\"%s\",0\n\"%s\",b,1\n}{,\\verb|x|,0\n}{,b,1\n", latexAttack, latexAttack, latexAttack)
	for name, text := range map[string]string{"halides.csv": table, "canary.tex": "CANARYWORD"} {
		try.To(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	p, recipe, err := dsl.ReadProtocol(t.Context(), "days.cope", benchDays, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	c := try.Of(folder.Start(t.Context(), filepath.Join(dir, "days"), recipe, p, dsl.MakeProtocol, folder.Options{}))
	defer c.Close()
	list, err := c.Ask(t.Context(), campaign.Request{By: latexAttack[:100]})
	if err != nil || len(list.Rows) < 3 {
		t.Fatalf("%v: %+v", err, list)
	}
	sheet := fmt.Sprintf("id,reward,note\n%s,1,\"%s\"\n", list.Rows[0].ID, latexAttack)
	_, err = c.Tell(t.Context(), []byte(sheet), campaign.TellOptions{By: latexAttack[:100], Sheet: latexAttack})
	for _, act := range []campaign.Act{
		&campaign.Comment{Text: latexAttack, By: `}`},
		&campaign.Fail{IDs: []string{list.Rows[1].ID}, Reason: latexAttack, By: `%`},
		&campaign.Correct{ID: list.Rows[0].ID, Value: 2, Reason: latexAttack, By: `\\[1em]`},
		&campaign.Close{Reason: latexAttack, By: `{`},
	} {
		if err == nil {
			_, err = c.Do(t.Context(), act)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	st := try.Of(c.Status(t.Context()))
	h := try.Of(c.History(t.Context()))
	var text strings.Builder
	text.WriteString("\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}\n")
	try.To(report.LaTeX(&text, report.Document{Title: "Campaign", Displays: report.CampaignReport(st, c.Protocol(), h, nil)}))
	text.WriteString("\nENDMARK\n\\end{document}\n")
	try.To(os.WriteFile(filepath.Join(dir, "r.tex"), []byte(text.String()), 0o600))
	runIn(t, dir, limit, pdflatex, "-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "r.tex").must(t)
	if got := runIn(t, dir, limit, pdftotext, "r.pdf", "-").must(t).stdout; !strings.Contains(got, "ENDMARK") || strings.Contains(got, "CANARYWORD") {
		t.Errorf("the report reads\n%s", got)
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "made*")); len(made) > 0 {
		t.Errorf("the report wrote %q", made)
	}
}
