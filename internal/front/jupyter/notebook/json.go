package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

// Load reads the notebook in a regular file.
func Load(path string) (*Notebook, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read notebook: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read notebook: %w", err)
	}
	defer f.Close()
	n, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// byteOrderMark begins text that some editors on Windows write.
const byteOrderMark = "\ufeff"

// Read reads a notebook of nbformat 4, with or without a byte order mark before it.
// Cells that have no id, as before 4.5, get one from their place.
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
		return nil, fmt.Errorf("not a notebook of format 4: nbformat is %d (save it with a current Jupyter)", file.Format)
	}
	n := &Notebook{Metadata: orEmpty(file.Metadata)}
	seen := map[string]bool{}
	for i, f := range file.Cells {
		c, err := f.cell()
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if !validID.MatchString(c.ID) || seen[c.ID] {
			c.ID = n.FreshID(fmt.Sprintf("cell-%d", i+1))
		}
		seen[c.ID] = true
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

// reason says what is wrong with a file in the words of its user. The mark is how many
// bytes of the file came before the text.
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

// withArticle names a kind of JSON value.
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

// Write writes a notebook as nbformat 4.5, with the keys in order and one space of
// indentation as Jupyter does.
func Write(w io.Writer, n *Notebook) error {
	file := fileForm{Metadata: orEmpty(n.Metadata), Format: 4, Minor: 5, Cells: make([]cellForm, len(n.Cells))}
	for i := range n.Cells {
		file.Cells[i] = formOf(&n.Cells[i])
	}
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
