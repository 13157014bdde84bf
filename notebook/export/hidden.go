package export

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// These are the cell tags that a report follows: Jupyter Book's, and papermill's for cells that should fail. Underscores
// instead of hyphens are also accepted.
const (
	hideInput    = "hide-input"    // code is folded
	hideOutput   = "hide-output"   // outputs are folded
	hideCell     = "hide-cell"     // code and outputs are folded
	removeInput  = "remove-input"  // code is omitted
	removeOutput = "remove-output" // outputs are omitted
	removeCell   = "remove-cell"   // the whole cell is omitted
	removeStdout = "remove-stdout"
	removeStderr = "remove-stderr"
	raises       = "raises-exception"
)

// hideWords maps tags in nbconvert's documentation to the tags above.
var hideWords = map[string]string{"remove-all-outputs": removeOutput, "remove-outputs": removeOutput, "hide-outputs": hideOutput,
	"remove-single-output": removeOutput}

// visibility states how a part of a cell is shown.
type visibility int

const (
	shown visibility = iota
	folded
	absent
)

// hiding decides which parts of a notebook are shown. Authors hide parts by tags, by metadata of front ends, and by
// comments of Quarto and nbdev in the code. On paper, folded parts are omitted, because a reader cannot unfold them.
type hiding struct {
	opt   Options
	paper bool
	code_ visibility // for all cells
}

// hidingOf reads the settings that apply to all cells of a notebook.
func hidingOf(nb *notebook.Notebook, opt Options, paper bool) hiding {
	h := hiding{opt: opt, paper: paper}
	if nb.Metadata["hide_input"] == true { // set by the extension hide_input_all
		h.code_ = folded
	}
	if front, ok := frontMatter(nb); ok && echoFalse.MatchString(front) {
		h.code_ = absent
	}
	return h
}

// echoFalse is Quarto's setting for all cells, below execute.
var echoFalse = regexp.MustCompile(`(?m)^\s+echo:\s*false\s*$`)

// frontMatter returns the YAML settings in the first cell of a notebook for Quarto, or false.
func frontMatter(nb *notebook.Notebook) (string, bool) {
	if len(nb.Cells) == 0 || nb.Cells[0].Type == notebook.Code {
		return "", false
	}
	s := strings.TrimSpace(nb.Cells[0].Source)
	inner, opens := strings.CutPrefix(s, "---\n")
	return strings.TrimSuffix(inner, "---"), opens && strings.HasSuffix(s, "\n---") && nb.Cells[0].Type == notebook.Raw
}

// option matches a comment at the top of a cell that sets an option: Quarto's "#| echo: false" or nbdev's "#| hide". The
// comment sign depends on the language.
var option = regexp.MustCompile(`^\s*(?:#|//|--|%|;+)\|\s*([\w-]+)\s*(?::\s*(.*?))?\s*$`)

// options returns the options of a cell (name → value). An option without value is "true".
func options(c *notebook.Cell) map[string]string {
	var out map[string]string
	for line := range strings.Lines(c.Source) {
		if strings.HasPrefix(line, "%%") || strings.TrimSpace(line) == "" {
			continue // magics and empty lines may precede the options
		}
		m := option.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			break
		}
		if out == nil {
			out = map[string]string{}
		}
		if m[2] == "" {
			m[2] = "true"
		}
		out[strings.ReplaceAll(m[1], "_", "-")] = strings.ToLower(strings.Trim(m[2], `"'`))
	}
	return out
}

// optionTags are the options of Quarto and nbdev that hide something, with the tag that means the same. A value of ""
// means all values.
var optionTags = []struct{ name, value, tag string }{
	{"echo", "false", removeInput}, {"include", "false", removeCell},
	{"output", "false", removeOutput}, {"output", "hide", removeOutput}, {"results", "false", removeOutput}, {"results", "hide", removeOutput},
	{"warning", "false", removeStderr}, {"message", "false", removeStderr}, {"code-fold", "true", hideInput},
	{"hide", "", removeCell}, {"hide-input", "", removeInput}, {"hide-output", "", removeOutput},
}

// marks returns the tags of a cell in a standard spelling. Settings in its metadata and options are added as tags.
func marks(c *notebook.Cell) []string {
	var out []string
	tag := func(word string) {
		word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
		if other := hideWords[word]; other != "" {
			word = other
		}
		out = append(out, word)
	}
	for _, t := range c.Tags() {
		tag(t)
	}
	jupyter, _ := c.Metadata["jupyter"].(map[string]any)
	for _, m := range []struct {
		said bool
		tag  string
	}{
		{jupyter["source_hidden"] == true, hideInput}, {jupyter["outputs_hidden"] == true, hideOutput},
		{c.Metadata["collapsed"] == true, hideOutput},
		{c.Metadata["inputHidden"] == true, hideInput}, {c.Metadata["outputHidden"] == true, hideOutput}, // nteract
		{c.Metadata["hide_input"] == true, hideInput}, {c.Metadata["hide_output"] == true, hideOutput}, // extensions
		{c.Metadata["cellView"] == "form", hideInput}, // Colab
		{c.Metadata["nbsphinx"] == "hidden", removeCell},
	} {
		if m.said {
			out = append(out, m.tag)
		}
	}
	if c.Type != notebook.Code {
		return out
	}
	said := options(c)
	for _, o := range optionTags {
		if value, given := said[o.name]; given && (o.value == "" || o.value == value) {
			out = append(out, o.tag)
		}
	}
	return out
}

// hidden reports whether the whole cell is omitted.
func hidden(c *notebook.Cell) bool { return slices.Contains(marks(c), removeCell) }

// code returns the visibility of a cell's code.
func (h hiding) code(c *notebook.Cell) visibility {
	if h.opt.HideCode || c.Source == "" {
		return absent
	}
	return max(h.byMarks(marks(c), removeInput, hideInput), h.onPaper(h.code_))
}

// outputs returns the visibility of a cell's outputs.
func (h hiding) outputs(c *notebook.Cell) visibility {
	return h.byMarks(marks(c), removeOutput, hideOutput)
}

// byMarks returns the visibility of one part of a cell. remove and hide are the tags that omit and fold this part.
func (h hiding) byMarks(marks []string, remove, hide string) visibility {
	switch {
	case slices.Contains(marks, remove):
		return absent
	case slices.Contains(marks, hide) || slices.Contains(marks, hideCell):
		return h.onPaper(folded)
	}
	return shown
}

func (h hiding) onPaper(v visibility) visibility {
	if h.paper && v == folded {
		return absent
	}
	return v
}

// lasting returns the visible outputs of a cell, without outputs such as progress that matter only while it runs.
func (h hiding) lasting(c *notebook.Cell) []notebook.Output {
	said := marks(c)
	return slices.DeleteFunc(c.Lasting(), func(o notebook.Output) bool {
		own := marks(&notebook.Cell{Type: notebook.Markdown, Metadata: o.Metadata})
		return slices.Contains(own, removeOutput) ||
			o.Type == notebook.Stream && (o.Name == "stderr" && slices.Contains(said, removeStderr) ||
				o.Name != "stderr" && slices.Contains(said, removeStdout))
	})
}

// sentence states which parts the author has hidden, or returns "" if there are none.
func (h hiding) sentence(nb *notebook.Notebook) string {
	var cells, code, outputs int
	for i := range nb.Cells {
		c := &nb.Cells[i]
		lasting := len(c.Lasting())
		switch {
		case hidden(c):
			cells++
			continue
		case c.Type != notebook.Code:
			continue
		}
		if strings.TrimSpace(c.Source) != "" && !h.opt.HideCode && h.code(c) == absent {
			code++
		}
		if lasting > 0 && (h.outputs(c) == absent || len(h.lasting(c)) < lasting) {
			outputs++
		}
	}
	var parts []string
	if cells > 0 {
		parts = append(parts, sentence.Count(cells, "cell"))
	}
	if code > 0 {
		parts = append(parts, "the code of "+sentence.Count(code, "cell"))
	}
	if outputs > 0 {
		parts = append(parts, "outputs of "+sentence.Count(outputs, "cell"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Hidden by the notebook's author, and not in this report: " + sentence.List(parts, len(parts)) + "."
}
