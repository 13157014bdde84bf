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
	var list strings.Builder
	listCommands(&list, root())
	want := "\n" + list.String()
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

// listCommands writes the commands below a command that users may call, each with its flags.
func listCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion" || c.Name() == "kernel" {
			continue
		}
		if !c.HasSubCommands() {
			fmt.Fprintf(b, "### %s\n\n`%s`: %s.\n\n", c.CommandPath(), strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSuffix(c.Short, "."))
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Hidden || f.Name == "help" || f.Name == "memory" {
					return
				}
				kind, usage := pflag.UnquoteUsage(f)
				if f.Value.Type() == "bool" {
					kind = ""
				}
				name := "--" + f.Name
				if f.Shorthand != "" {
					name = "-" + f.Shorthand + ", " + name
				}
				fmt.Fprintf(b, "- `%s`: %s\n", strings.TrimSpace(name+" "+kind), usage)
			})
			b.WriteString("\n")
		}
		listCommands(b, c)
	}
}
