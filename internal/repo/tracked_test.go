package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// personal are texts that mean something on one machine only: home folders, and
// settings that choose where modules and packages are fetched from.
var personal = regexp.MustCompile(`/(?:root|home/\w+|Users/\w+|work)/|GO(?:PROXY|NOPROXY|PRIVATE|SUMDB)=|--(?:extra-)?index-url`)

// Tracked files name no developer's machine, and no registry.
func TestNobodysMachine(t *testing.T) {
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git checkout:", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if name == "internal/repo/tracked_test.go" {
			continue // the patterns themselves
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range personal.FindAll(text, 1) {
			t.Errorf("%s contains %q", name, found)
		}
	}
}

// Subjects of commits have at most 72 characters, since the commit that is named; the why is in the body.
func TestSubjectsAreShort(t *testing.T) {
	const since, most = "75a862ce", 72
	subjects, err := exec.Command("git", "-C", root, "log", "--format=%s", since+"..HEAD").Output()
	if err != nil {
		t.Skip("no history from", since, "on:", err)
	}
	for subject := range strings.Lines(string(subjects)) {
		if n := utf8.RuneCountInString(strings.TrimSpace(subject)); n > most {
			t.Errorf("a subject of %d characters, more than %d: %s", n, most, subject)
		}
	}
}
