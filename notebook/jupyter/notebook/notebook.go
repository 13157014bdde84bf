package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// fileForm, cellForm and outputForm are the JSON forms of a notebook file.
type fileForm struct {
	Cells    []cellForm     `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
}

type cellForm struct {
	Attachments    map[string]any  `json:"attachments"`
	Type           CellType        `json:"cell_type"`
	ExecutionCount json.RawMessage `json:"execution_count"`
	ID             string          `json:"id"`
	Metadata       map[string]any  `json:"metadata"`
	Outputs        []outputForm    `json:"outputs"`
	Source         multiline       `json:"source"`
}

type outputForm struct {
	Data           map[string]any  `json:"data"`
	ErrorName      string          `json:"ename"`
	ErrorValue     string          `json:"evalue"`
	ExecutionCount json.RawMessage `json:"execution_count"`
	Metadata       map[string]any  `json:"metadata"`
	Name           string          `json:"name"`
	Type           OutputType      `json:"output_type"`
	Text           *multiline      `json:"text"`
	Traceback      []string        `json:"traceback"`
}

// multiline is text that a file stores as one string or as a list of lines.
type multiline string

func (m *multiline) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	text, ok := joined(v)
	if !ok {
		return fmt.Errorf("text must be a string or a list of strings, not %.40s", b)
	}
	*m = multiline(text)
	return nil
}

// lines splits text after each newline. It returns an empty slice for "".
func lines(s string) []string {
	if s == "" {
		return []string{}
	}
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// joined returns a string or the concatenation of a list of strings. It returns false for other values.
func joined(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// jsonMedia reports whether data of a media type is JSON and not text.
func jsonMedia(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// countForm returns an execution count for a file: null if it is 0.
func countForm(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func countOf(form json.RawMessage) (int, error) {
	if len(form) == 0 || string(form) == "null" {
		return 0, nil
	}
	var n int
	if err := json.Unmarshal(form, &n); err != nil {
		return 0, fmt.Errorf("execution_count must be a whole number or null, not %.40s", form)
	}
	return n, nil
}

func (f cellForm) cell() (Cell, error) {
	c := Cell{Type: f.Type, ID: f.ID, Source: string(f.Source), Metadata: orEmpty(f.Metadata), Attachments: f.Attachments}
	switch f.Type {
	case Markdown, Raw:
		return c, nil
	case Code:
	default:
		return c, fmt.Errorf("cell_type must be code, markdown or raw, not %q", f.Type)
	}
	var err error
	if c.ExecutionCount, err = countOf(f.ExecutionCount); err != nil {
		return c, err
	}
	for i, form := range f.Outputs {
		o, err := form.output()
		if err != nil {
			return c, fmt.Errorf("output %d: %w", i+1, err)
		}
		c.Outputs = append(c.Outputs, o)
	}
	return c, nil
}

// form returns the JSON form of a cell.
func (c Cell) form() map[string]any {
	f := map[string]any{"cell_type": c.Type, "metadata": orEmpty(c.Metadata), "source": lines(c.Source)}
	if c.ID != "" {
		f["id"] = c.ID
	}
	if len(c.Attachments) > 0 {
		f["attachments"] = c.Attachments
	}
	if c.Type == Code {
		f["outputs"], f["execution_count"] = lists.Map(c.Outputs, Output.form), countForm(c.ExecutionCount)
	}
	return f
}

func (f outputForm) output() (o Output, err error) {
	o.Type = f.Type
	switch f.Type {
	case Stream:
		if o.Name = f.Name; f.Text != nil {
			o.Text = string(*f.Text)
		}
	case DisplayData, ExecuteResult:
		o.Data, o.Metadata = orEmpty(f.Data), f.Metadata
		for media, v := range o.Data {
			if jsonMedia(media) {
				continue
			}
			text, ok := joined(v)
			if !ok {
				return o, fmt.Errorf("%s must be text", media)
			}
			o.Data[media] = text
		}
		o.ExecutionCount, err = countOf(f.ExecutionCount)
	case Error:
		o.ErrorName, o.ErrorValue, o.Traceback = f.ErrorName, f.ErrorValue, f.Traceback
	default:
		err = fmt.Errorf("output_type must be stream, display_data, execute_result or error, not %q", f.Type)
	}
	return o, err
}

// form returns the JSON form of an output.
func (o Output) form() map[string]any {
	switch o.Type {
	case Stream:
		f := map[string]any{"output_type": o.Type, "text": lines(o.Text)}
		if o.Name != "" {
			f["name"] = o.Name
		}
		return f
	case Error:
		return map[string]any{"output_type": o.Type, "ename": o.ErrorName, "evalue": o.ErrorValue,
			"traceback": append([]string{}, o.Traceback...)}
	}
	data := map[string]any{}
	for media, v := range o.Data {
		if text, ok := v.(string); ok && !jsonMedia(media) {
			v = lines(text)
		}
		data[media] = v
	}
	f := map[string]any{"output_type": o.Type, "data": data, "metadata": orEmpty(o.Metadata)}
	if o.Type == ExecuteResult {
		f["execution_count"] = countForm(o.ExecutionCount)
	}
	return f
}

// Load reads a notebook file. It returns an error if path is not a regular file.
func Load(path string) (*Notebook, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read notebook: %w", err)
	}
	n, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// byteOrderMark is a character at the beginning of files that some Windows editors write.
const byteOrderMark = "\ufeff"

// Read reads a notebook of nbformat 4. A byte order mark is skipped. A cell without a
// valid and unique ID, as before nbformat 4.5, gets an ID from its position.
func Read(r io.Reader) (*Notebook, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	text := bytes.TrimPrefix(all, []byte(byteOrderMark))
	mark := int64(len(all) - len(text))
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var file fileForm
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", reason(err, text, mark))
	}
	rest := text[d.InputOffset():]
	if more := bytes.TrimLeft(rest, " \t\r\n"); len(more) > 0 {
		return nil, fmt.Errorf("not a notebook: byte %d of the file: the notebook has ended and more follows", len(all)-len(more)+1)
	}
	if file.Format != 4 {
		return nil, fmt.Errorf("not a notebook of format 4: nbformat is %d. To convert it: jupyter nbconvert --to notebook FILE", file.Format)
	}
	n := &Notebook{Metadata: orEmpty(file.Metadata), Cells: make([]Cell, 0, len(file.Cells))}
	seen := map[string]bool{}
	taken := lists.Keyed(file.Cells, func(_ int, f cellForm) (string, bool) { return f.ID, true })
	for i, f := range file.Cells {
		c, err := f.cell()
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if !validID.MatchString(c.ID) || seen[c.ID] {
			c.ID = freshID(taken, fmt.Sprintf("cell-%d", i+1))
			taken[c.ID] = true
		}
		seen[c.ID] = true
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

// reason returns a JSON error in terms that users understand. mark is the number of bytes that precede text in the file.
func reason(err error, text []byte, mark int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends in the middle")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return errors.New("the file is UTF-16; save it as UTF-8")
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d of the file is not JSON: %w", syntax.Offset+mark, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("the file must hold an object, not %s", withArticle(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s cannot be %s (byte %d of the file)", kind.Field, withArticle(kind.Value), kind.Offset+mark)
	}
	return err
}

// withArticle returns the name of a kind of JSON value with an article, such as "an array".
func withArticle(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9-_]{1,64}$`)

// Write writes a notebook as nbformat 4.5. Keys are sorted, and the indentation is one space, as in Jupyter.
func Write(w io.Writer, n *Notebook) error {
	file := map[string]any{"cells": lists.Map(n.Cells, Cell.form), "metadata": orEmpty(n.Metadata), "nbformat": 4, "nbformat_minor": 5}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(file); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Notebook is a Jupyter notebook.
type Notebook struct {
	Metadata map[string]any
	Cells    []Cell
}

// CellType is the type of a cell.
type CellType string

// These are the types of cells.
const (
	Code     CellType = "code"
	Markdown CellType = "markdown"
	Raw      CellType = "raw"
)

// Cell is one cell. ID is unique in its notebook.
type Cell struct {
	Type           CellType
	ID             string
	Source         string
	Metadata       map[string]any
	Attachments    map[string]any // for Markdown and raw cells: file name → media type → data
	Outputs        []Output       // for code cells
	ExecutionCount int            // for code cells; 0 if the cell was not executed
}

// OutputType is the type of an output.
type OutputType string

// These are the types of outputs.
const (
	Stream        OutputType = "stream"
	DisplayData   OutputType = "display_data"
	ExecuteResult OutputType = "execute_result"
	Error         OutputType = "error"
)

// Output is one output of a code cell. The comments name the types of output that use each field.
type Output struct {
	Type OutputType

	Name string // stream: stdout or stderr
	Text string // stream

	// display_data, execute_result: media type → data; text is a string, JSON is decoded
	Data           map[string]any
	Metadata       map[string]any // display_data, execute_result
	ExecutionCount int            // execute_result; 0 if unknown

	ErrorName  string // error
	ErrorValue string
	Traceback  []string
}

// Tags returns the tags in a cell's metadata.
func (c *Cell) Tags() []string {
	list, _ := c.Metadata["tags"].([]any)
	var tags []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// HasTag reports whether a cell has a tag.
func (c *Cell) HasTag(tag string) bool { return slices.Contains(c.Tags(), tag) }

// AddTag adds a tag to a cell's metadata.
func (c *Cell) AddTag(tag string) {
	if c.HasTag(tag) {
		return
	}
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	list, _ := c.Metadata["tags"].([]any)
	c.Metadata["tags"] = append(slices.Clone(list), tag)
}

// KernelName returns the name of the notebook's kernelspec, or "" if it names none.
func (n *Notebook) KernelName() string {
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	name, _ := spec["name"].(string)
	return name
}

// FreshID returns an ID that begins with prefix and that no cell has.
func (n *Notebook) FreshID(prefix string) string {
	return freshID(lists.Keyed(n.Cells, func(_ int, c Cell) (string, bool) { return c.ID, true }), prefix)
}

// freshID returns an ID that begins with prefix and is not in taken.
func freshID(taken map[string]bool, prefix string) string {
	if !taken[prefix] {
		return prefix
	}
	for i := 2; ; i++ {
		if id := fmt.Sprintf("%s-%d", prefix, i); !taken[id] {
			return id
		}
	}
}

// Lasting returns the outputs of a cell without progress displays, which matter only while the cell runs. Our kernel marks
// these in the metadata.
func (c *Cell) Lasting() []Output {
	return slices.DeleteFunc(slices.Clone(c.Outputs), func(o Output) bool {
		ours, _ := o.Metadata["gonb_cope"].(map[string]any)
		return ours["progress"] == true
	})
}
