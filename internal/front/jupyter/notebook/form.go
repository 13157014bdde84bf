package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// fileForm, cellForm and outputForm are the layout of the file, their fields in
// the order of the alphabet.
type fileForm struct {
	Cells    []cellForm     `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

type cellForm struct {
	Attachments    map[string]any  `json:"attachments,omitempty"`
	Type           CellType        `json:"cell_type"`
	ExecutionCount json.RawMessage `json:"execution_count,omitempty"`
	ID             string          `json:"id,omitempty"`
	Metadata       map[string]any  `json:"metadata"`
	Outputs        *[]outputForm   `json:"outputs,omitempty"`
	Source         multiline       `json:"source"`
}

type outputForm struct {
	Data           *map[string]any `json:"data,omitempty"`
	ErrorName      *string         `json:"ename,omitempty"`
	ErrorValue     *string         `json:"evalue,omitempty"`
	ExecutionCount json.RawMessage `json:"execution_count,omitempty"`
	Metadata       *map[string]any `json:"metadata,omitempty"`
	Name           string          `json:"name,omitempty"`
	Type           OutputType      `json:"output_type"`
	Text           *multiline      `json:"text,omitempty"`
	Traceback      *[]string       `json:"traceback,omitempty"`
}

// multiline is text that a notebook holds as one string or as a list of lines.
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

func (m multiline) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(lines(string(m)))
	return b.Bytes(), err
}

// lines splits text after each newline.
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

// joined undoes lines; text that is not split stays as it is.
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

// jsonMedia reports whether a media type holds JSON values rather than text.
func jsonMedia(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func countForm(n int) json.RawMessage {
	if n == 0 {
		return json.RawMessage("null")
	}
	return json.RawMessage(fmt.Sprint(n))
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
	if c.ExecutionCount, err = countOf(f.ExecutionCount); err != nil || f.Outputs == nil {
		return c, err
	}
	for i, form := range *f.Outputs {
		o, err := form.output()
		if err != nil {
			return c, fmt.Errorf("output %d: %w", i+1, err)
		}
		c.Outputs = append(c.Outputs, o)
	}
	return c, nil
}

func formOf(c *Cell) cellForm {
	f := cellForm{Type: c.Type, ID: c.ID, Source: multiline(c.Source), Metadata: orEmpty(c.Metadata), Attachments: c.Attachments}
	if c.Type == Code {
		outputs := make([]outputForm, len(c.Outputs))
		for i, o := range c.Outputs {
			outputs[i] = o.form()
		}
		f.Outputs, f.ExecutionCount = &outputs, countForm(c.ExecutionCount)
	}
	return f
}

func (f outputForm) output() (Output, error) {
	o := Output{Type: f.Type, Name: f.Name}
	switch f.Type {
	case Stream:
		if f.Text != nil {
			o.Text = string(*f.Text)
		}
	case DisplayData, ExecuteResult:
		o.Data = map[string]any{}
		if f.Data != nil {
			o.Data = orEmpty(*f.Data)
		}
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
		if f.Metadata != nil {
			o.Metadata = *f.Metadata
		}
		var err error
		o.ExecutionCount, err = countOf(f.ExecutionCount)
		return o, err
	case Error:
		if f.ErrorName != nil {
			o.ErrorName = *f.ErrorName
		}
		if f.ErrorValue != nil {
			o.ErrorValue = *f.ErrorValue
		}
		if f.Traceback != nil {
			o.Traceback = *f.Traceback
		}
	default:
		return o, fmt.Errorf("output_type must be stream, display_data, execute_result or error, not %q", f.Type)
	}
	return o, nil
}

func (o Output) form() outputForm {
	f := outputForm{Type: o.Type}
	switch o.Type {
	case Stream:
		text := multiline(o.Text)
		f.Name, f.Text = o.Name, &text
	case Error:
		traceback := append([]string{}, o.Traceback...)
		f.ErrorName, f.ErrorValue, f.Traceback = &o.ErrorName, &o.ErrorValue, &traceback
	default:
		data := map[string]any{}
		for media, v := range o.Data {
			if text, ok := v.(string); ok && !jsonMedia(media) {
				v = lines(text)
			}
			data[media] = v
		}
		f.Data = &data
		metadata := orEmpty(o.Metadata)
		f.Metadata = &metadata
		if o.Type == ExecuteResult {
			f.ExecutionCount = countForm(o.ExecutionCount)
		}
	}
	return f
}
