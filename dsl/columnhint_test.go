package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The hint for a part of a column's name is the whole name, if only one column has that part.
func TestPartOfColumnName(t *testing.T) {
	dir := t.TempDir()
	table := "Strain name;pH (start);Titre mg/L\nK12;6,5;12,3\nK12;7,0;15,1\nBL21;6,5;22,3\nBL21;7,0;20,1\n"
	try.To(os.WriteFile(filepath.Join(dir, "broths.csv"), []byte(table), 0o644))
	// "strain" is a part of one column's name
	_, err := evalText(NewSession(Options{Folder: dir}), `problem(data="broths.csv", task="strain", arm="pH (start)", reward="Titre mg/L", kernel=arm(rbf(1)), noise=1)`)
	if err == nil || !strings.HasSuffix(err.Error(), `   = hint: did you mean "Strain name"?`) {
		t.Errorf("%v", err)
	}
	// The word must have three letters, and one column alone must have it, whatever the case.
	for word, want := range map[string]string{"start": "pH (start)", "ta": "", "mg": "", "t": "", "titre": "Titre mg/L", "str": "Strain name"} {
		if got := onlyWith(word, []string{"Strain name", "pH (start)", "Titre mg/L"}); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := onlyWith("temp", []string{"Temp in", "Temp out"}); got != "" {
		t.Errorf("of two columns %q is meant", got)
	}
}
