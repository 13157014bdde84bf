package notebook

import (
	"fmt"
	"slices"
)

// Notebook is a document of cells.
type Notebook struct {
	Metadata map[string]any
	Cells    []Cell
}

// CellType is the kind of a cell.
type CellType string

// The kinds of cells.
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
	Attachments    map[string]any // of Markdown and raw cells, by file name and media type
	Outputs        []Output       // of code cells
	ExecutionCount int            // of code cells; 0 when it was not executed
}

// OutputType is the kind of an output.
type OutputType string

// The kinds of outputs.
const (
	Stream        OutputType = "stream"
	DisplayData   OutputType = "display_data"
	ExecuteResult OutputType = "execute_result"
	Error         OutputType = "error"
)

// Output is one output of a code cell.
type Output struct {
	Type OutputType

	Name string // stream: stdout or stderr
	Text string // stream

	// display_data, execute_result: by media type, text as string, JSON types as decoded
	Data           map[string]any
	Metadata       map[string]any // display_data, execute_result
	ExecutionCount int            // execute_result; 0 for none

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

// HasTag reports whether a cell carries a tag, such as parameters.
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

// KernelName returns the name of the kernelspec that the notebook asks for; "" when it names none.
func (n *Notebook) KernelName() string {
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	name, _ := spec["name"].(string)
	return name
}

// FreshID returns an identifier for a new cell that no other cell has.
func (n *Notebook) FreshID(prefix string) string {
	taken := map[string]bool{}
	for _, c := range n.Cells {
		taken[c.ID] = true
	}
	if !taken[prefix] {
		return prefix
	}
	for i := 2; ; i++ {
		if id := fmt.Sprintf("%s-%d", prefix, i); !taken[id] {
			return id
		}
	}
}

// Lasting returns the outputs of a cell without those that were of interest only
// while it ran: progress, which our kernel marks in the metadata.
func (c *Cell) Lasting() []Output {
	return slices.DeleteFunc(slices.Clone(c.Outputs), func(o Output) bool {
		ours, _ := o.Metadata["gonb_cope"].(map[string]any)
		return ours["progress"] == true
	})
}
