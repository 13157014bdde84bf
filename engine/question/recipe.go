package question

// File is a file of a recipe: the script, or data that it reads.
type File struct {
	Path    string `json:"path"` // as the script names it; of the script its name
	SHA256  string `json:"sha256"`
	Content []byte `json:"-"`
}

// Recipe holds the sources that a question is made from again on another day or another machine: a script and the data that it
// reads.
type Recipe struct {
	Script File     `json:"script"`
	Set    []string `json:"set,omitempty"` // NAME=VALUE: replaces what the script binds NAME to
	Data   []File   `json:"data,omitempty"`
	Added  []File   `json:"added,omitempty"` // rows that came to the table of the problem while a campaign ran, in their order
}
