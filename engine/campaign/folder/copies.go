package folder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// copyNames returns the names of the copies of script and data in the folder, in their order.
func copyNames(r question.Recipe) []string {
	names := []string{"script.cope"}
	seen := map[string]int{}
	for _, f := range append(r.Data[:len(r.Data):len(r.Data)], r.Added...) {
		base := filepath.Base(filepath.FromSlash(f.Path))
		if seen[base]++; seen[base] > 1 {
			base = fmt.Sprintf("%d-%s", seen[base], base)
		}
		names = append(names, filepath.Join("data", base))
	}
	return names
}

// filesOf returns script and data, in the order of copyNames.
func filesOf(r question.Recipe) []campaign.File {
	return slices.Concat([]campaign.File{r.Script}, r.Data, r.Added)
}

// copies writes script and data beside the database, for people to read.
func copies(dir string, r question.Recipe) error {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return err
	}
	names := copyNames(r)
	for i, f := range filesOf(r) {
		if err := os.WriteFile(filepath.Join(dir, names[i]), f.Content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compareCopies says which copies are not what was recorded.
func (c *Campaign) compareCopies(r question.Recipe) {
	names := copyNames(r)
	for i, f := range filesOf(r) {
		content, err := os.ReadFile(filepath.Join(c.dir, names[i]))
		switch {
		case os.IsNotExist(err):
			c.notice(fmt.Sprintf("%s is gone from the folder; the recorded copy counts", names[i]))
		case err == nil && !bytes.Equal(content, f.Content):
			c.notice(fmt.Sprintf("%s was changed since the start; the recorded copy counts", names[i]))
		}
	}
}
