package dsl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// ReadProtocol evaluates the only protocol(...) in a script, together with the statements that it depends on. text is the
// script and name its file name; relative paths start from opt.Folder. It returns the protocol with its forecast, and a
// recipe: the script and the contents of every file that it read. MakeProtocol makes the same protocol from the recipe
// alone, even on another machine.
func ReadProtocol(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	r := question.Recipe{Script: campaign.File{Path: filepath.Base(name), Content: []byte(text)}, Set: opt.Set}
	read := map[string][]byte{} // contents of the files read, by their paths in the script
	// All reads go through this function, so that the recipe contains every file.
	opt.readFile = func(path string) ([]byte, error) {
		data, err := opt.file(ctx, path)
		if err == nil {
			read[path] = data
		}
		return data, err
	}
	opt.found = &found{recording: true} // collects the kernels that the script chooses from measurements
	opt.absolute = map[string]bool{}
	p, err := protocolOf(ctx, name, text, opt)
	if err != nil {
		return p, r, err
	}
	// Store paths relative to the folder, so that the folder can be moved.
	for _, path := range slices.Sorted(maps.Keys(read)) {
		own := path
		if opt.Folder != "" && filepath.IsAbs(opt.Folder) == filepath.IsAbs(path) { // filepath.Rel needs two absolute or two relative paths
			if below, err := filepath.Rel(opt.Folder, path); err == nil {
				own = below
			}
		}
		r.Data = append(r.Data, campaign.File{Path: filepath.ToSlash(own), Content: read[path]})
	}
	// If an absolute path of the script also matches another recorded file, store the file under its absolute path too.
	for _, path := range slices.Sorted(maps.Keys(read)) {
		if f := recordedFile(r.Data, path); opt.absolute[path] && (f == nil || !bytes.Equal(f.Content, read[path])) {
			r.Data = append(r.Data, campaign.File{Path: filepath.ToSlash(path), Content: read[path]})
		}
	}
	// The recipe stores a chosen kernel as text, which may round numbers. Make the protocol again with the rounded kernel,
	// so that both agree.
	if len(opt.found.Calls) > 0 {
		encoded, err := json.MarshalIndent(opt.found, "", "  ")
		if err != nil {
			return p, r, err
		}
		r.Data = append(r.Data, campaign.File{Path: foundFile, Content: append(encoded, '\n')})
		forecast := p.Forecast
		if p, err = MakeProtocol(ctx, r); err != nil { // now with the rounded kernel
			return p, r, err
		}
		p.Forecast = forecast
	}
	return p, r, nil
}

// ReadRun is like ReadProtocol, but computes no forecast. A forecast would delay the start of a run with agents.
func ReadRun(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	opt.noForecast = true
	return ReadProtocol(ctx, name, text, opt)
}

// recordedFile returns the recorded file that a path of the script means; nil if there is none.
func recordedFile(files []campaign.File, path string) *campaign.File {
	path = filepath.ToSlash(filepath.Clean(path))
	var found *campaign.File
	longest, up := -1, 0 // best match so far: length of the common ending, and number of leading "../"
	for i, f := range files {
		own := filepath.ToSlash(filepath.Clean(filepath.FromSlash(f.Path)))
		if own == path { // an exact match: both relative, or both absolute
			return &files[i]
		}
		// Match an absolute path by its ending. Prefer the longest ending: sub/gram.csv to gram.csv. Prefer a file below
		// the folder: gram.csv to ../gram.csv.
		above := 0
		for ; strings.HasPrefix(own, "../"); above++ {
			own = own[len("../"):]
		}
		if n := len(own); strings.HasSuffix("/"+path, "/"+own) && (n > longest || n == longest && above < up) {
			found, longest, up = &files[i], n, above
		}
	}
	return found
}

// MakeProtocol makes a protocol from a recipe. It reads only the files of the recipe and computes no forecast. If the
// recipe has added rows, it appends them to the problem's table. It implements folder.Maker of engine/campaign/folder.
func MakeProtocol(ctx context.Context, r question.Recipe) (campaign.Protocol, error) {
	read := func(path string) ([]byte, error) {
		f := recordedFile(r.Data, path)
		if f == nil {
			return nil, fmt.Errorf("%s is not among the recorded files: %w", filepath.ToSlash(filepath.Clean(path)), os.ErrNotExist)
		}
		return f.Content, nil
	}
	// Compute no forecast, read no local files, and use the recorded kernels.
	opt := Options{Set: r.Set, noForecast: true, readFile: read}
	var err error
	if opt.found, err = readFound(r.Data); err != nil {
		return campaign.Protocol{}, err
	}
	// First make the protocol without the added rows, to find the table that they extend.
	p, err := protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	if err != nil || len(r.Added) == 0 {
		return p, err
	}
	if len(p.Problem.Sources) == 0 {
		return p, errNoTable
	}
	table := p.Problem.Sources[0].Path // the problem's first source is its table
	data, err := read(table)
	if err == nil {
		data, err = parquet.CSV(allowance.New(memlimit.File(ctx, len(data)), "the table", problem.MaxData, allowance.NoLimit), data)
	}
	if err != nil {
		return p, err
	}
	// Append the tables of added rows in the order in which they were added.
	var added []*problem.Appended
	for _, f := range r.Added {
		more, err := parquet.CSV(allowance.New(memlimit.File(ctx, len(f.Content)), "the table", problem.MaxData, allowance.NoLimit), f.Content)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Path, err)
		}
		a, err := problem.Append(ctx, table, data, f.Path, more)
		if err != nil {
			return p, err
		}
		data, added = a.Data, append(added, a)
	}
	// Make the protocol again, with the extended table.
	opt.readFile = func(path string) ([]byte, error) {
		if path == table {
			return data, nil
		}
		return read(path)
	}
	if opt.found != nil {
		opt.found.next = 0 // start again with the first recorded kernel
	}
	p, err = protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	for _, a := range added {
		err = a.Place(err) // show a mistake in an added row at its position in its own table
	}
	return p, err
}

// errNoTable is the error for added rows if the problem was not read from a table.
var errNoTable = errors.New("the problem of this campaign was not read from a table, so rows cannot be added")

// protocolOf evaluates the only protocol(...) of a script and the statements that it needs. It skips the script's runs and
// figures.
func protocolOf(ctx context.Context, name, text string, opt Options) (_ campaign.Protocol, err error) {
	defer try.Caught(&err)
	script, errs := Parse(name, text)
	if len(errs) > 0 {
		return campaign.Protocol{}, errs
	}
	session := NewSession(opt)
	statements, errs := session.prepare(script)
	if len(errs) > 0 {
		return campaign.Protocol{}, errs
	}
	needed := try.Of(neededFor(name, statements))
	session.opt.Set = nil // Options.Set is already applied
	displays := try.Of(session.Eval(ctx, &Script{source: script.source, statements: needed}))
	last := needed[len(needed)-1]
	if last.Name == "" { // the protocol may be an expression without a name
		return displays[len(displays)-1].Value.(campaign.Protocol), nil
	}
	return session.scope[last.Name].value.Data.(campaign.Protocol), nil
}

// neededFor returns the statements that the only protocol(...) of a script depends on, in order, and last the protocol's
// own statement. It returns an error if the script has no protocol or several.
func neededFor(file string, statements []*front.Statement) ([]*front.Statement, error) {
	at := -1
	for i, st := range statements {
		// Only a statement that is a call of protocol counts, not a protocol inside another call.
		if _, name := callOf(st.Node); name != "protocol" || st.Params != nil {
			continue
		}
		if at >= 0 {
			return nil, st.Source.At(st.Whole(), "a campaign has one protocol, but this is the second one of the script",
				"keep one of them in the script of the campaign")
		}
		at = i
	}
	if at < 0 {
		return nil, fmt.Errorf("%s has no protocol. Add a statement such as days = protocol(p, delta=0.05), which fixes the rules of the "+
			"campaign", file)
	}
	// Go backwards from the protocol, and keep each statement that binds a name which a later kept statement uses.
	wanted := namesIn(statements[at].Node)
	out := []*front.Statement{statements[at]}
	for i := at - 1; i >= 0; i-- {
		if st := statements[i]; st.Name != "" && wanted[st.Name] {
			maps.Copy(wanted, namesIn(st.Node))
			for _, p := range st.Params {
				if p.Default != nil {
					maps.Copy(wanted, namesIn(p.Default))
				}
			}
			out = append(out, st)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// namesIn returns the set of names that an expression uses.
func namesIn(n ast.Node) map[string]bool {
	v := names{}
	ast.Walk(&n, v)
	return v
}

// names is an AST visitor that collects identifiers.
type names map[string]bool

// Visit implements ast.Visitor.
func (n names) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		n[id.Value] = true
	}
}

// errCell is the error for a protocol that depends on a value bound by Put, which a recipe cannot contain.
var errCell = errors.New("the folder of a campaign cannot recompute it")

// scriptOf returns a script that defines a name and everything that its definition uses. It returns an error if a value
// comes from Put.
func scriptOf(s *Session, name string) (string, error) {
	text := ""
	for _, used := range s.scope.below(name) {
		b := s.scope[used]
		if b.put {
			return "", fmt.Errorf("the protocol depends on %s, a value of %s: %w. Write a formula such as k(x, y) = exp(-abs(x[0]-y[0])), or a "+
				"table(...) of its values", used, s.giver(), errCell)
		}
		text += b.st.Source.Slice(b.st.Whole()) + "\n"
	}
	return text, nil
}
