// Package systems has no code: its test checks the types of all packages for systems other than the one it runs on.
package systems

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Packages, commands and (where they need no more than Unix) tests are correct Go on the other systems that releases are for. Their
// sources are read with the sources of all that they import, which takes a tenth of the time of a compiler.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all modules three times")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, s := range []struct {
		name, system, processor string
		list                    []string
	}{
		{"windows", "windows", "amd64", nil},
		{"macOS", "darwin", "arm64", []string{"-test"}}, // tests need Unix
	} {
		t.Run(s.name, func(t *testing.T) {
			list := exec.Command("go", append(append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module"}, s.list...), "./...")...)
			list.Dir = "../../.."
			list.Env = append(os.Environ(), "GOOS="+s.system, "GOARCH="+s.processor, "CGO_ENABLED=0")
			list.Stderr = os.Stderr
			out := try.Of(list.Output())
			checkTypes(t, out, s.processor)
		})
	}
}

// checkTypes checks the packages of a list of go list -deps -json: bodies of functions in this module, declarations in all.
func checkTypes(t *testing.T, list []byte, processor string) {
	t.Helper()
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
			Module          *struct {
				GoVersion string
				Main      bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		set, files := token.NewFileSet(), []*ast.File{}
		for _, name := range p.GoFiles {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			f := try.Of(parser.ParseFile(set, name, nil, parser.SkipObjectResolution))
			files = append(files, f)
		}
		ours := p.Module != nil && p.Module.Main
		c := types.Config{IgnoreFuncBodies: !ours, Sizes: types.SizesFor("gc", processor), Importer: importer(func(name string) (*types.Package, error) {
			if other, ok := p.ImportMap[name]; ok {
				name = other
			}
			if found := checked[name]; found != nil {
				return found, nil
			}
			return nil, errors.New("go list does not have " + name)
		})}
		if ours {
			c.GoVersion = "go" + p.Module.GoVersion
			c.Error = func(err error) { t.Error(err) }
		}
		made, err := c.Check(p.ImportPath, set, files, nil)
		if err != nil && !ours {
			t.Fatal(err)
		}
		checked[p.ImportPath] = made
	}
}

// importer is a function that finds a package by its path.
type importer func(string) (*types.Package, error)

func (f importer) Import(name string) (*types.Package, error) { return f(name) }
