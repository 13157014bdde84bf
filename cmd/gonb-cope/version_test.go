package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A program without a stamp says its checksum, and asks no git for a revision that its source may not
// have had: another program would pass for the same build.
func TestBuildWithoutStamp(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	try.To(os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho asked >> '"+asked+"'\necho 0123456789ab\n"), 0o700))
	t.Setenv("PATH", dir)
	if got := buildOf().revision; !strings.HasPrefix(got, "program ") || len(got) != len("program ")+12 {
		t.Errorf("revision %q", got)
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("git was asked")
	}
}
