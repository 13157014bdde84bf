package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// PDF prints the page of HTML with a browser of the Chromium family, with everything open that is
// folded on the screen, except for long tables. It prints twice: the contents name the pages that the
// first version had. When no browser is installed, the error is ErrNoBrowser.
func PDF(ctx context.Context, nb *notebook.Notebook, opt Options) (pdf []byte, err error) {
	browser, err := findBrowser()
	if err != nil {
		return nil, err
	}
	var pages map[string]int
	for range 2 {
		if pdf, err = printPage(ctx, browser, printable(ctx, nb, opt, pages)); err != nil {
			return nil, err
		}
		if pages = destinations(pdf); len(pages) == 0 {
			break // no contents
		}
	}
	return pdf, nil
}

// ErrNoBrowser means that nothing on this machine can print a page.
var ErrNoBrowser = errors.New("a PDF is printed by Chromium, which is not installed; install it (Debian: apt-get install chromium), " +
	"name one by CHROME_PATH, or save the report as .html, which prints well from any browser")

// browserNames are the programs that can print, in the order in which they are
// tried.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"}

// findBrowser returns the program that prints.
func findBrowser() (string, error) {
	if path := os.Getenv("CHROME_PATH"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("CHROME_PATH names %s, which is not a program: %w", path, err)
		}
		return found, nil
	}
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// printTime limits printing; a page of 20 cells takes about 1 s.
const printTime = 2 * time.Minute

// printPage prints one of our pages, in a new profile that is removed afterwards. The page has no
// scripts and loads nothing; the sandbox is left out only where Chromium has none, for the
// superuser.
func printPage(ctx context.Context, browser string, page []byte) ([]byte, error) {
	folder, err := os.MkdirTemp("", "cope-print-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "page.html"), filepath.Join(folder, "page.pdf")
	if err := os.WriteFile(in, page, 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, printTime, fmt.Errorf("printing took more than %s", seconds(printTime)))
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
		"--disable-extensions",
		"--disable-dev-shm-usage", "--user-data-dir=" + filepath.Join(folder, "profile"), "--no-pdf-header-footer",
		"--generate-pdf-document-outline", "--print-to-pdf=" + out}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, browser, append(args, "file://"+filepath.ToSlash(in))...)
	cmd.WaitDelay = 5 * time.Second
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	pdf, readErr := os.ReadFile(out)
	if readErr != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		err = cmp.Or(err, errors.New("it wrote no PDF"))
		last := bytes.TrimSpace(said)
		last = last[bytes.LastIndexByte(last, '\n')+1:]
		return nil, fmt.Errorf("%s did not print the page: %w: %s", filepath.Base(browser), err, last)
	}
	return pdf, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

var leadingNumber = regexp.MustCompile(`^\s*(\d+\.?\d*)(px|pt|in|cm|mm)?\s*$`)

// svgPDF prints a drawing on a sheet of the drawing's size.
func svgPDF(ctx context.Context, source string) ([]byte, error) {
	browser, err := findBrowser()
	if err != nil {
		return nil, err
	}
	svg := drawing(source)
	if svg == nil {
		return nil, errors.New("no drawing")
	}
	width, height := size(svg)
	style := fmt.Sprintf("@page { size: %[1]gpx %[2]gpx; margin: 0 } html, body { margin: 0 } "+
		"svg { display: block; width: %[1]gpx; height: %[2]gpx }\n", width, height)
	return printPage(ctx, browser, []byte(report.PageHead("Drawing", style, "")+"<body>"+svg.String()+"</body></html>"))
}

// drawing returns the first drawing in a source, rebuilt from what is known to be harmless and with
// the style that it brings; nil without a drawing.
func drawing(source string) *markup.Node {
	const name = "drawing"
	style := ""
	k := markup.Cleaner{Style: func(sheet string) { style += markup.Scoped(sheet, name, func(id string) string { return id }) }}
	found := k.Read(source).All("svg")
	if len(found) == 0 {
		return nil
	}
	svg := found[0]
	if style != "" {
		svg.Set("id", name)
		svg.Children = append([]*markup.Node{markup.Element("style", nil, markup.Text(style))}, svg.Children...)
	}
	return svg
}

// drawingFile returns a drawing as a separate file, which is XML.
func drawingFile(source string) []byte {
	if svg := drawing(source); svg != nil {
		return []byte(svg.String())
	}
	return nil
}

// size returns the drawing's size in CSS pixels, from its attributes or else its view box.
func size(svg *markup.Node) (width, height float64) {
	width, height = length(svg.Get("width")), length(svg.Get("height"))
	if box := strings.Fields(strings.ReplaceAll(svg.Get("viewBox"), ",", " ")); len(box) == 4 && (width == 0 || height == 0) {
		width, height = length(box[2]), length(box[3])
	}
	if width == 0 || height == 0 {
		return 300, 150 // what CSS takes
	}
	return width, height
}

func length(s string) float64 {
	m := leadingNumber.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	if n := perInch[m[2]]; n > 0 {
		return x * 96 / n
	}
	return x
}

// perInch holds how many of a unit make an inch, which has 96 px.
var perInch = map[string]float64{"pt": 72, "in": 1, "cm": 2.54, "mm": 25.4}
