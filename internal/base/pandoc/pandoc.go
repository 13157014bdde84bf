// Package pandoc turns Markdown into documents for word processors, with the program pandoc.
package pandoc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrMissing means that pandoc is not installed.
var ErrMissing = errors.New(".docx files are made by pandoc, which is not installed. " +
	"Other formats, such as .html, .md and .tex, do not need it. " +
	"Install it (Debian: apt-get install pandoc; macOS: brew install pandoc; Windows: winget install JohnMacFarlane.Pandoc) and try again")

// Find returns the path of the program, or ErrMissing.
func Find() (string, error) {
	path, err := exec.LookPath("pandoc")
	if err != nil {
		return "", ErrMissing
	}
	return path, nil
}

// Source is a text in GitHub's Markdown. Its pictures are data: addresses; all other pictures are left out,
// so that a text of another party reads no file and no network.
type Source struct {
	Title    string
	Markdown []byte
	Raise    bool // headings of level 2 become level 1: the title was level 1
	Math     bool // $…$ and $$…$$ are formulas
}

// longest limits one conversion; a report of 20 pages takes about 1 s.
const longest = 2 * time.Minute

// filter is run by pandoc on the text. Pictures that are not in it are replaced by their descriptions; others have theirs as
// the caption. Columns of tables are as wide as their contents need: word processors differ on columns without a width.
const filter = `local line = 70 -- letters

function Image(el)
  if not el.src:match("^data:") then return el.caption end
end

function Para(el)
  local first = el.content[1]
  if #el.content == 1 and first.t == "Image" then
    return {el, pandoc.Div({pandoc.Para(first.caption)}, pandoc.Attr("", {}, {["custom-style"] = "Image Caption"}))}
  end
end

function Table(t)
  local least, most = {}, {} -- letters of each column: of its longest word, and of its texts without a break
  local function measure(rows)
    for _, row in ipairs(rows) do
      for j, cell in ipairs(row.cells) do
        local text = pandoc.utils.stringify(cell.contents)
        local word = 1
        for w in text:gmatch("%S+") do word = math.max(word, utf8.len(w) or #w) end
        least[j] = math.max(least[j] or 0, word + 2)
        most[j] = math.max(most[j] or 0, least[j], (utf8.len(text) or #text) + 3)
      end
    end
  end
  measure(t.head.rows)
  for _, body in ipairs(t.bodies) do measure(body.body) end
  local needed, wanted = 0, 0
  for j in ipairs(least) do needed, wanted = needed + least[j], wanted + most[j] end
  local share = 1 -- of what columns want beyond their longest words
  if wanted > line then share = math.max(0, line - needed) / math.max(1, wanted - needed) end
  for j, spec in ipairs(t.colspecs) do
    t.colspecs[j] = {spec[1], ((least[j] or 1) + share * ((most[j] or 1) - (least[j] or 1))) / math.max(needed, line)}
  end
  return t
end
`

// Docx returns a text as a .docx file, and the warnings of pandoc, such as formulas that it could not convert. A
// template of the user, reference.docx in pandoc's data folder, gives the styles.
func Docx(ctx context.Context, s Source) (file []byte, warnings []string, err error) {
	program, err := Find()
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "cope-docx-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	script, out := filepath.Join(folder, "filter.lua"), filepath.Join(folder, "out.docx")
	if err := os.WriteFile(script, []byte(filter), 0o600); err != nil {
		return nil, nil, err
	}
	reader, shift := "gfm-tex_math_dollars", "0"
	if s.Math {
		reader = "gfm+tex_math_dollars"
	}
	if s.Raise {
		shift = "-1"
	}
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("pandoc took more than %s", longest))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--from", reader, "--to", "docx", "--shift-heading-level-by", shift, "--tab-stop", "4",
		"--metadata", "title="+s.Title, "--lua-filter", script, "--output", out)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = folder, bytes.NewReader(s.Markdown), 5*time.Second
	said, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		return nil, nil, fmt.Errorf("pandoc did not make the file: %s", cmp.Or(lines[len(lines)-1], err.Error()))
	}
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "[WARNING] "); ok {
			warnings = append(warnings, "pandoc: "+text)
		}
	}
	file, err = os.ReadFile(out)
	return file, warnings, err
}
