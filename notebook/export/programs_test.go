package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// validator is the version that the page is checked with; its settings are in
// testdata/html-validate.json and say how XML is written.
const validator = "html-validate@9.7.1"

// need returns where a program is. Without it the test is skipped, or fails where all
// programs are required; short tests start none.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	return found(t, path, err, name)
}

// browser is need of a browser.
func browser(t *testing.T) string {
	t.Helper()
	path, err := chromium.Find()
	return found(t, path, err, "a browser")
}

func found(t *testing.T, path string, err error, name string) string {
	t.Helper()
	switch {
	case testing.Short():
		t.Skipf("short: %s is not started", name)
	case err != nil && os.Getenv("GONB_COPE_REQUIRE_ALL") == "1":
		t.Fatalf("%s is missing: %v", name, err)
	case err != nil:
		t.Skipf("%s is missing: %v", name, err)
	}
	return path
}

func run(t *testing.T, folder, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func compileLaTeX(t *testing.T, folder, file string) {
	t.Helper()
	program := need(t, "pdflatex")
	out, err := run(t, folder, program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", file)
	if err != nil {
		if i := strings.Index(out, "\n!"); i >= 0 {
			out = out[i:min(len(out), i+1500)]
		}
		t.Fatalf("pdflatex: %v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		lacks(t, line, "Missing character", "not found")
	}
}

func TestPDF(t *testing.T) {
	browser(t)
	path := filepath.Join(t.TempDir(), "r.pdf")
	nb := demo(t)
	pages := strings.Builder{} // an output goes on from page to page
	for i := range 400 {
		fmt.Fprintf(&pages, "numbered%d\n", i)
	}
	nb.Cells = append(nb.Cells, codeCell("x", []any{hideInput, hideOutput}, printed("stdout", "foldedwords\n")), codeCell("y", nil, printed("stdout", pages.String())))
	try.To(Save(context.Background(), path, nb, demoOptions()))
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Fatalf("%.20q, %v", data, err)
	}
	text := try.Of(run(t, "", need(t, "pdftotext"), path, "-"))
	for _, want := range append(provenanceWords, "Two groups of tasks", "Hidden by the notebook", "line 80", "Figure 1.", "round 1", "numbered0\n", "numbered100\n", "numbered250\n", "numbered399\n") {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF lacks %q", want)
		}
	}
	lacks(t, text, "foldedwords", "Data of the figure", "file://")
}

func TestPDFInterrupt(t *testing.T) {
	browser(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := PDF(ctx, demo(t), Options{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}

func TestSVGPDF(t *testing.T) {
	browser(t)
	pdf, err := svgPDF(context.Background(), `<svg width="144pt" viewBox="0 0 4 2" height="72pt"><rect width="4" height="2"/></svg>`)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.pdf")
	try.To(os.WriteFile(path, pdf, 0o644))
	info, err := run(t, "", need(t, "pdfinfo"), path)
	if err != nil || !strings.Contains(info, "Pages:           1") || !strings.Contains(info, "144 x 72 pts") {
		t.Errorf("%v\n%s", err, info)
	}
}

// probed returns a page with a script at its end that its policy lets run.
func probed(t *testing.T, page []byte, script string) []byte {
	t.Helper()
	sum := sha256.Sum256([]byte(script))
	allowed := bytes.Replace(page, []byte("; script-src "), []byte("; script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' "), 1)
	if bytes.Equal(allowed, page) {
		t.Fatal("the page has no policy for scripts")
	}
	return bytes.Replace(allowed, []byte("</body>"), []byte("<script>"+script+"</script></body>"), 1)
}

// opened has a browser open a page and returns what it says.
func opened(t *testing.T, program string, page []byte, flags ...string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "p.html")
	try.To(os.WriteFile(path, page, 0o644))
	args := append([]string{"--headless", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(folder, "profile")}, flags...)
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	return run(t, folder, program, append(args, "file://"+filepath.ToSlash(path))...)
}

// TestSort clicks on heads of columns in a real browser.
func TestSort(t *testing.T) {
	program := browser(t)
	table := "<table><thead><tr><th>name</th><th>value</th></tr></thead><tbody><tr><td>arm 10</td><td>1,000</td></tr><tr><td>arm 9</td><td>12.5 [11, 14]</td></tr>" +
		"<tr><td>arm 2</td><td>—</td></tr><tr><td>b</td><td>1.5e-3</td></tr><tr><td>a</td><td>−3 ± 1</td></tr><tr><td>c</td><td>infinite</td></tr></tbody></table>"
	var tables []notebook.Cell
	var clicks, want []string
	for _, c := range []struct{ clicks, want, sorted string }{
		{"", "arm 10|arm 9|arm 2|b|a|c", ""},
		{"0", "a|arm 2|arm 9|arm 10|b|c", "ascending"},
		{"00", "c|b|arm 10|arm 9|arm 2|a", "descending"},
		{"1", "a|b|arm 9|arm 10|c|arm 2", "ascending"},
		{"11", "c|arm 10|arm 9|b|a|arm 2", "descending"},
		{"01", "a|b|arm 9|arm 10|c|arm 2", "ascending"},
	} {
		tables = append(tables, codeCell("x", nil, shows("text/html", table)))
		clicks, want = append(clicks, c.clicks), append(want, c.want+"!"+c.sorted)
	}
	page, _ := rendered(t, book(tables...), Options{})
	probe := "const clicks = '" + strings.Join(clicks, ",") + "'.split(',');" +
		"document.title = Array.from(document.querySelectorAll('table'), function (table, k) { [...clicks[k]].forEach(function (i) { table.querySelectorAll('th button')[i].click(); });" +
		"return Array.from(table.querySelectorAll('tbody tr'), function (r) { return r.cells[0].textContent; }).join('|') + '!' + Array.from(table.querySelectorAll('th[aria-sort]'), function (h) { return h.getAttribute('aria-sort'); }).join(); }).join(' then ');"
	out, err := opened(t, program, probed(t, page, probe), "--dump-dom")
	if want := "<title>" + strings.Join(want, " then ") + "</title>"; err != nil || !strings.Contains(out, want) {
		t.Errorf("clicks %q: %v, %.800s, want %s", clicks, err, out[max(strings.Index(out, "<title>"), 0):], want)
	}
}

// TestValidator has the page of the demo, and one with every attack in it, checked
// by a validator of HTML.
func TestValidator(t *testing.T) {
	npx := need(t, "npx")
	config := try.Of(filepath.Abs("testdata/html-validate.json"))
	folder := t.TempDir()
	bad := "<!DOCTYPE html><html><head><title>x</title></head><body><p><div>x</div></p><table><td>x</table></body></html>"
	var attacked []notebook.Cell
	for _, a := range attacks {
		if !strings.Contains(a, "<svg><image") { // leaves its empty image out
			attacked = append(attacked, codeCell(a, nil, printed("stdout", a), shows("text/latex", a)))
		}
	}
	first, _ := rendered(t, demo(t), demoOptions())
	second, _ := rendered(t, book(attacked...), Options{})
	for name, page := range map[string][]byte{"bad.html": []byte(bad), "demo.html": first, "attacks.html": second} {
		try.To(os.WriteFile(filepath.Join(folder, name), page, 0o644))
	}
	check := func(names ...string) (string, error) {
		return run(t, folder, npx, append([]string{"--yes", validator, "--config", config, "--formatter", "text"}, names...)...)
	}
	if out, err := check("bad.html"); err == nil || !strings.Contains(out, "bad.html:") {
		if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
			t.Fatalf("%s does not work: %v\n%s", validator, err, out)
		}
		t.Skipf("%s does not work, perhaps because it cannot be fetched: %v\n%s", validator, err, out)
	}
	if out, err := check("demo.html", "attacks.html"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
