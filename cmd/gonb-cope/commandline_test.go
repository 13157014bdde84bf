package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// docs/reference/command-line.md lists every command with its flags. With -update the list is written again.
func TestCommandLineDocumentation(t *testing.T) {
	const path = "../../docs/reference/command-line.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- commands -->\n", "<!-- end -->"
	head, rest, found := strings.Cut(string(data), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for commands", path)
	}
	want := "\n" + commandList(root())
	switch {
	case *update:
		err = os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644)
	case old != want:
		t.Errorf("%s is out of date; run: make docs", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// commandList lists the commands that users may call, each with its flags. Flags that several commands share come first.
func commandList(root *cobra.Command) string {
	const several = 3
	count := map[string]int{}
	var shared, own strings.Builder
	leaves := leaves(root)
	for _, c := range leaves {
		for _, line := range flagLines(c) {
			if count[line]++; count[line] == several {
				shared.WriteString(line)
			}
		}
	}
	for _, c := range leaves {
		fmt.Fprintf(&own, "\n### %s\n\n`%s`: %s.\n\n", c.CommandPath(), strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSuffix(c.Short, "."))
		var also []string
		for _, line := range flagLines(c) {
			if count[line] < several {
				own.WriteString(line)
			} else {
				name, _, _ := strings.Cut(strings.TrimPrefix(line, "- "), ":")
				also = append(also, name)
			}
		}
		if also != nil {
			own.WriteString("- shared: " + strings.Join(also, ", ") + "\n")
		}
	}
	return "### Flags of several commands\n\n" + shared.String() + own.String() + "\n"
}

// leaves returns the commands below a command that users may call.
func leaves(parent *cobra.Command) (out []*cobra.Command) {
	for _, c := range parent.Commands() {
		switch {
		case !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "kernel":
		case c.HasSubCommands():
			out = append(out, leaves(c)...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// flagLines returns a line for each flag of a command.
func flagLines(c *cobra.Command) (out []string) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "memory" {
			return
		}
		kind, usage := flagUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		out = append(out, fmt.Sprintf("- `%s`: %s\n", strings.TrimSpace(name+" "+kind), usage))
	})
	return out
}
