package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// README shows what the program prints: the answer of best, the result of the script, and what two other methods take on it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	run := func(command string) string {
		t.Helper()
		c := exec.Command("sh", "-c", command)
		c.Dir = root
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	block := func(after, fence string) (text, rest string) {
		t.Helper()
		_, text, found := strings.Cut(after, "```"+fence+"\n")
		text, rest, closed := strings.Cut(text, "```")
		if !found || !closed {
			t.Fatalf("README has no block ```%s", fence)
		}
		return text, rest
	}
	_, part, _ := strings.Cut(readme, "## From your table to an answer")
	command, part := block(part, "sh")
	want, _ := block(part, "")
	if got := run(command); !strings.Contains(got, want) { // of a long answer the first part
		t.Errorf("README's output of best is another:\n%s", got)
	}
	_, part, _ = strings.Cut(readme, "## A script and its output")
	script, part := block(part, "cope")
	want, part = block(part, "")
	file := filepath.Join(root, "notebooks", "readme.cope") // beside its data
	result := func(script string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file)
		return run("gonb-cope run notebooks/readme.cope")
	}
	if got := result(script); !strings.Contains(got, want) {
		t.Errorf("README's output of the script is another:\n%s", got)
	}
	for name, number := range map[string]*regexp.Regexp{
		"CoKernelFC":   regexp.MustCompile(`takes ([\d,.]+) samples per agent \(.algorithm="CoKernelFC".\)`),
		"IndUniformFC": regexp.MustCompile(`take ([\d,.]+) \(.algorithm="IndUniformFC".\)`),
	} {
		said := number.FindStringSubmatch(part)
		if said == nil {
			t.Errorf("README does not say what %s takes", name)
			continue
		}
		if got := result(strings.Replace(script, "seed=1)", `seed=1, algorithm="`+name+`")`, 1)); !strings.Contains(got, " "+said[1]+" [") {
			t.Errorf("README says that %s takes %s samples; the program:\n%s", name, said[1], got[:min(len(got), 400)])
		}
	}
}
