// Package pandoc converts Markdown to .docx files with the program pandoc.
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

// ErrMissing states that pandoc is not installed.
var ErrMissing = errors.New(".docx files are made by pandoc, which is not installed. " +
	"Other formats, such as .html, .md and .tex, do not need it. " +
	"Install it (Debian: apt-get install pandoc; macOS: brew install pandoc; Windows: winget install JohnMacFarlane.Pandoc) and try again")

// Find returns the path of pandoc, or ErrMissing.
func Find() (string, error) {
	path, err := exec.LookPath("pandoc")
	if err != nil {
		return "", ErrMissing
	}
	return path, nil
}

// Source is a text in GitHub's Markdown. Only pictures with data: addresses are included, so that an untrusted text cannot
// read files or load anything.
type Source struct {
	Title    string
	Markdown []byte
	Raise    bool // moves headings up one level, because the title was the heading of level 1
	Math     bool // $…$ and $$…$$ are formulas
}

// longest limits the time of one conversion. A report of 20 pages takes about 1 s.
const longest = 2 * time.Minute

// filter is the Lua filter that pandoc runs. It replaces a picture without data by its description; other pictures get the
// description as caption. It makes columns as wide as their content, because word processors treat columns without width
// differently. If the longest words of a table do not fit on a line, it splits the table. Each part repeats the first
// columns, up to the first column of text.
const filter = `local line = 64 -- letters of a wide font

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
  for j in ipairs(t.colspecs) do least[j], most[j] = 1, 1 end
  local rows = pandoc.List()
  rows:extend(t.head.rows)
  for _, body in ipairs(t.bodies) do rows:extend(body.body) end
  for _, row in ipairs(rows) do
    for j, cell in ipairs(row.cells) do
      local text = pandoc.utils.stringify(cell.contents)
      for w in text:gmatch("[^%s-]+-?") do least[j] = math.max(least[j], (utf8.len(w) or #w) + 2) end
      most[j] = math.max(most[j], least[j], (utf8.len(text) or #text) + 3)
    end
  end
  local keys = 1
  for j, spec in ipairs(t.colspecs) do
    if spec[1] ~= "AlignRight" and spec[1] ~= "AlignCenter" then keys = j break end
  end
  local function sum(of, columns)
    local total = 0
    for _, j in ipairs(columns) do total = total + of[j] end
    return total
  end
  local repeated = {}
  for j = 1, keys do repeated[j] = j end
  if sum(least, repeated) > line / 2 then repeated = {1} end
  local groups = {{}} -- the columns of each table
  for j in ipairs(t.colspecs) do
    local group = groups[#groups]
    if #group > #repeated and sum(least, group) + least[j] > line then
      group = {table.unpack(repeated)}
      groups[#groups + 1] = group
    end
    group[#group + 1] = j
  end
  local tables = {}
  for _, group in ipairs(groups) do
    local part = t:clone()
    local needed, wanted = sum(least, group), sum(most, group)
    local share = 1 -- of what columns want beyond their longest words
    if wanted > line then share = math.max(0, line - needed) / math.max(1, wanted - needed) end
    local function pick(row)
      local cells = pandoc.List()
      for _, j in ipairs(group) do cells:insert(row.cells[j] or pandoc.Cell({})) end
      row.cells = cells
      return row
    end
    part.colspecs = pandoc.List()
    for _, j in ipairs(group) do
      part.colspecs:insert({t.colspecs[j][1], (least[j] + share * (most[j] - least[j])) / math.max(needed, line)})
    end
    part.head.rows = pandoc.List(part.head.rows):map(pick)
    part.bodies = pandoc.List(part.bodies):map(function(body)
      body.body = pandoc.List(body.body):map(pick)
      return body
    end)
    tables[#tables + 1] = part
  end
  return tables
end
`

// Docx returns a text as a .docx file, with pandoc's warnings, for example about formulas. The user's template,
// reference.docx in pandoc's data folder, sets the styles.
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
