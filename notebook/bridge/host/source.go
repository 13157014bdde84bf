package host

import (
	"debug/buildinfo"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// library is the module path of gonb-cope. Keys of stored results have the revision of its results (sim.ResultsRevision).
const library = "github.com/gonb-cope/gonb-cope"

// sourceDigest returns a digest of the cell that made a program: of the function main and all declarations that it uses.
// Comments and declarations of other cells do not change the digest. If the folder has no Go files, or if the program uses
// C code or embedded files, the digest is of the program file.
func sourceDigest(program string) (_ string, err error) {
	defer try.Caught(&err)
	files := try.Of(filepath.Glob(filepath.Join(filepath.Dir(program), "*.go")))
	s := source{fset: token.NewFileSet(), found: map[string][]ast.Node{}, imports: map[string][]string{}}
	whole := len(files) == 0
	for _, name := range files {
		f := try.Of(parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution))
		s.add(f)
		whole = whole || slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` || i.Path.Value == `"embed"` })
	}
	if whole {
		text, err := os.ReadFile(program)
		return question.Fingerprint(string(text)), err
	}
	texts := try.Of(s.used())
	modules, err := modulesOf(program, s.reached)
	return question.Fingerprint(append(texts, modules...)...), err
}

// majorVersion matches the end of an import path, such as /v2, that is not part of the package's name.
var majorVersion = regexp.MustCompile(`[/.]v[0-9]+$`)

// source holds the declarations of a program by name. A method is stored under the name of its type.
type source struct {
	fset    *token.FileSet
	found   map[string][]ast.Node
	imports map[string][]string // package name → import paths; "." if the path does not show the name
	reached []string            // import paths that the used declarations need
}

// add adds the declarations and imports of a file.
func (s *source) add(f *ast.File) {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			names[id.Name] = true
		}
		return true
	})
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)                   // no error: the parser has checked it
		name := path.Base(majorVersion.ReplaceAllString(p, "")) // for example, rand for math/rand/v2
		if i.Name != nil {
			name = i.Name.Name
		} else if !names[name] { // the import must be used, so the package has another name than its path shows
			name = "."
		}
		s.imports[name] = append(s.imports[name], p)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type)
			}
			s.found[name] = append(s.found[name], d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				node := ast.Node(spec)
				if d.Tok == token.CONST { // constants of a group may depend on each other, for example by iota
					node = d
				}
				for _, name := range declared(spec) {
					s.found[name] = append(s.found[name], node)
				}
			}
		}
	}
}

// receiver returns the name of a method's type, or "".
func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// declared returns the names that a specification declares, and nil for an import.
func declared(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		names = []string{spec.Name.Name}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// used returns the source of main, of all init functions and of everything that they use, sorted and without comments. It
// also returns all imports named "_" and ".". A name counts as used wherever it occurs, so some texts may be unnecessary,
// but none is missing.
func (s *source) used() (texts []string, err error) {
	seen, queue := map[string]bool{}, []string{"main", "init", "_", "."}
	for len(queue) > 0 {
		name := queue[0]
		if queue = queue[1:]; seen[name] {
			continue
		}
		seen[name] = true
		for _, p := range s.imports[name] {
			s.reached = append(s.reached, p)
			texts = append(texts, "import "+p)
		}
		for _, node := range s.found[name] {
			var text strings.Builder
			if err := printer.Fprint(&text, s.fset, node); err != nil {
				return nil, err
			}
			texts = append(texts, text.String())
			ast.Inspect(node, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					queue = append(queue, id.Name)
				}
				return true
			})
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts), nil
}

// modulesOf returns the versions of the modules of imported packages, except gonb-cope. For a module in a folder, which
// has no checksum, it also returns the Go files. If the folder is unknown, it returns the whole program.
func modulesOf(program string, imports []string) (out []string, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		within := func(p string) bool { return p == m.Path || strings.HasPrefix(p, m.Path+"/") }
		if m.Path == library || !slices.ContainsFunc(imports, within) {
			continue
		}
		files := program
		if m.Replace != nil {
			if m, files = m.Replace, m.Replace.Path; !filepath.IsAbs(files) {
				files = filepath.Join(filepath.Dir(program), files)
			}
		}
		if out = append(out, m.Path+" "+m.Version); m.Sum != "" {
			continue
		}
		err := filepath.WalkDir(files, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" && name != program {
				return err
			}
			text, err := os.ReadFile(name)
			out = append(out, strings.TrimPrefix(name, files), string(text))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Path, err)
		}
	}
	return out, nil
}
