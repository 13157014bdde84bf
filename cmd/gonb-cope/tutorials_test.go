package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Tutorials work in an empty folder. A block with a file name is that file, a block of sh is executed, and a block "text N" has the
// first N paragraphs of the last output. With -update the outputs are written again.
func TestTutorials(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns for seconds")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	pages, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no tutorials: %v", err)
	}
	block := regexp.MustCompile("(?s)\n```(\\w*) ?([^\n]*)\n(.*?)```\n")
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			data := try.Of(os.ReadFile(page))
			if !strings.Contains(string(data), "\n```text ") {
				t.Skip("the page shows no output")
			}
			folder, output := t.TempDir(), ""
			text := block.ReplaceAllStringFunc(string(data), func(found string) string {
				parts := block.FindStringSubmatch(found)
				switch language, name, content := parts[1], parts[2], parts[3]; {
				case language == "sh":
					output = executed(t, folder, content)
				case language == "text":
					count, err := strconv.Atoi(name)
					if err != nil {
						t.Fatalf("block of output without a number of paragraphs: %q", name)
					}
					want := paragraphs(output, count)
					if content != want && !*update {
						t.Errorf("the page differs from the program (make readme writes it again); the program gives:\n%s", want)
					}
					return fmt.Sprintf("\n```text %d\n%s```\n", count, want)
				case name != "":
					try.To(os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
				}
				return found
			})
			if *update && text != string(data) {
				try.To(os.WriteFile(page, []byte(text), 0o644))
			}
		})
	}
}

// executed runs shell commands in a folder and returns their standard output.
func executed(t *testing.T, folder, commands string) string {
	t.Helper()
	var problems strings.Builder
	c := exec.Command("sh", "-e", "-c", commands)
	c.Dir, c.Stderr = folder, &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s%v\n%s", commands, err, problems.String())
	}
	return string(out)
}
