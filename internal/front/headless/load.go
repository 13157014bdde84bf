package headless

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/client"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
)

// KernelName is the name of our kernelspec.
const KernelName = "gonb-cope"

// cellMagic is the line that begins a cell of the script language.
const cellMagic = dsl.CellMagic + "\n"

// Load reads a notebook (.ipynb) or a script (.cope). A script becomes a notebook of
// one cell a paragraph; paragraphs of comments become Markdown.
func Load(path string) (*notebook.Notebook, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".ipynb":
		return notebook.Load(path)
	case ".cope":
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read script: %w", err)
		}
		if _, errs := dsl.Parse(path, string(text)); len(errs) > 0 {
			return nil, errs
		}
		return ofScript(string(text)), nil
	case ".csv", ".tsv":
		return nil, fmt.Errorf("%s is a table: gonb-cope best %[1]s -o answer.html says what its measurements say", path)
	default:
		return nil, fmt.Errorf("%s: a report is made of a notebook (.ipynb) or a script (.cope), not of %q", path, ending)
	}
}

// linePrefix begins the id of a script's cell; the line where it begins follows.
const linePrefix = "line-"

// CheckScript finds the mistakes of a script that can be found without running it, as
// the command check does.
func CheckScript(path string, set []string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read script: %w", err)
	}
	script, errs := dsl.Parse(path, string(text))
	if len(errs) == 0 {
		errs = script.Check(dsl.Options{Folder: filepath.Dir(path), Set: set})
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// place matches the place of an error in a %%cope cell.
var place = regexp.MustCompile(`cell \d+:(\d+):(\d+)`)

// InScript makes the error of a cell an error of the script that the notebook was made
// of: with the script's line, and the line itself below it.
func InScript(path string, n *notebook.Notebook, err error) error {
	var failed *client.CellError
	if !errors.As(err, &failed) || failed.Err != nil || failed.Cell < 1 || failed.Cell > len(n.Cells) {
		return err
	}
	begin, convErr := strconv.Atoi(strings.TrimPrefix(n.Cells[failed.Cell-1].ID, linePrefix))
	if convErr != nil {
		return err
	}
	inScript := func(line string) int {
		n, _ := strconv.Atoi(line) // digits
		return begin + n - 2       // the magic is the cell's first line
	}
	lines := strings.Split(ansi.ReplaceAllString(strings.Join(failed.Traceback, "\n"), ""), "\n")
	wider := 0
	for i, line := range lines {
		if m := place.FindStringSubmatch(line); m != nil {
			lines[i] = strings.Replace(line, m[0], fmt.Sprintf("%s:%d:%s", path, inScript(m[1]), m[2]), 1)
		} else if m := excerpt.FindStringSubmatch(line); m != nil {
			number := strconv.Itoa(inScript(m[1]))
			wider = len(number) - len(m[1])
			lines[i] = " " + number + strings.TrimPrefix(line, " "+m[1])
		} else if strings.HasPrefix(line, "   ") {
			lines[i] = strings.Repeat(" ", max(wider, 0)) + line
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// excerpt is the line of a script below an error.
var excerpt = regexp.MustCompile(`^ (\d+) \|`)

// ansi matches colours of a terminal.
var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// ofScript makes a notebook of a script.
func ofScript(text string) *notebook.Notebook {
	n := &notebook.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": KernelName,
		"display_name": "Go + CoPE (gonb-cope)", "language": "go"}}}
	for _, p := range dsl.Paragraphs(text) {
		c := notebook.Cell{Type: notebook.Code, ID: fmt.Sprintf("%s%d", linePrefix, p.Line), Source: cellMagic + p.Source,
			Metadata: map[string]any{}}
		if p.Comment {
			c.Type, c.Source = notebook.Markdown, p.Source
		}
		n.Cells = append(n.Cells, c)
	}
	return n
}

// scriptOf returns the script in a cell, without the empty lines that it begins with, or false for
// a cell of another language.
func scriptOf(c *notebook.Cell) (string, bool) {
	if c.Type != notebook.Code {
		return "", false
	}
	script, ok, err := dsl.Cell(c.Source)
	return strings.TrimLeft(script, "\r\n"), ok && err == nil
}
