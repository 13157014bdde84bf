package notebook

import (
	"bytes"
	"encoding/json"
	"strings"
)

// oldSheet, oldCell and oldOutput are the JSON forms of nbformat 3 where they differ from nbformat 4.
type oldSheet struct {
	Cells []oldCell `json:"cells"`
}

type oldCell struct {
	cellForm
	Collapsed bool            `json:"collapsed"`
	Input     multiline       `json:"input"`
	Language  string          `json:"language"`
	Level     int             `json:"level"`
	Number    json.RawMessage `json:"prompt_number"`
	Outputs   []oldOutput     `json:"outputs"`
}

type oldOutput struct {
	outputForm
	HTML       any             `json:"html"`
	JavaScript any             `json:"javascript"`
	JPEG       any             `json:"jpeg"`
	JSON       any             `json:"json"`
	LaTeX      any             `json:"latex"`
	Number     json.RawMessage `json:"prompt_number"`
	PDF        any             `json:"pdf"`
	PNG        any             `json:"png"`
	Stream     string          `json:"stream"`
	SVG        any             `json:"svg"`
}

// upgrade converts a file from nbformat 3 to nbformat 4, like Jupyter's nbformat.v4.upgrade.
func (f *fileForm) upgrade() error {
	var sheets []oldSheet
	if len(f.Sheets) > 0 {
		if err := decode(f.Sheets, &sheets); err != nil {
			return err
		}
	}
	f.Metadata = orEmpty(f.Metadata)
	for _, sheet := range sheets {
		for _, c := range sheet.Cells {
			if c.Type == Code && c.Language != "" && f.Metadata["language_info"] == nil && f.Metadata["kernelspec"] == nil {
				f.Metadata["language_info"] = map[string]any{"name": c.Language}
			}
			f.Cells = append(f.Cells, c.upgraded())
		}
	}
	return nil
}

// decode decodes JSON into v and keeps the digits of numbers.
func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

func (c oldCell) upgraded() cellForm {
	f := c.cellForm
	switch f.Type {
	case "heading":
		signs, words := strings.Repeat("#", min(max(c.Level, 1), 6)), strings.Join(strings.Fields(string(f.Source)), " ")
		f.Type, f.Source = Markdown, multiline(signs+" "+words)
	case "html":
		f.Type = Markdown
	case Code:
		f.Source, f.ExecutionCount = c.Input, c.Number
		if c.Collapsed {
			f.Metadata = orEmpty(f.Metadata)
			f.Metadata["collapsed"] = true
		}
		for _, o := range c.Outputs {
			f.Outputs = append(f.Outputs, o.upgraded())
		}
	}
	return f
}

func (o oldOutput) upgraded() outputForm {
	f := o.outputForm
	switch f.Type {
	case "pyerr":
		f.Type = Error
	case Stream:
		if f.Name = o.Stream; f.Name == "" {
			f.Name = "stdout"
		}
	case "pyout", DisplayData:
		if f.Type == "pyout" {
			f.Type, f.ExecutionCount = ExecuteResult, o.Number
		}
		f.Data = orEmpty(f.Data)
		for media, v := range map[string]any{"text/html": o.HTML, "application/javascript": o.JavaScript, "image/jpeg": o.JPEG,
			"text/latex": o.LaTeX, "application/pdf": o.PDF, "image/png": o.PNG, "image/svg+xml": o.SVG, "application/json": o.JSON} {
			if v != nil {
				f.Data[media] = v
			}
		}
		if f.Text != nil {
			f.Data["text/plain"] = string(*f.Text)
		}
		if text, ok := joined(o.JSON); ok { // in nbformat 3 the JSON value is stored as text
			var v any
			if decode([]byte(text), &v) == nil {
				f.Data["application/json"] = v
			}
		}
	}
	return f
}
