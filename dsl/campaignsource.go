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
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// ReadProtocol evaluates what the one protocol(...) of a script depends on, and nothing else of it. It
// returns the protocol with its forecast, and the recipe by which it can be made again: the script
// and every file that was read. Relative paths are below opt.Folder.
// The recipe is complete: MakeProtocol makes the protocol of it alone, on another machine as well.
func ReadProtocol(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	r := question.Recipe{Script: campaign.File{Path: filepath.Base(name), Content: []byte(text)}, Set: opt.Set}
	read := map[string][]byte{} // by the path under which the script reads it
	// Every read goes through here, so that no file is missing among the recorded ones.
	opt.readFile = func(path string) ([]byte, error) {
		data, err := opt.file(ctx, path)
		if err == nil {
			read[path] = data
		}
		return data, err
	}
	opt.found = &found{recording: true} // the kernels that are found from here on are noted
	opt.absolute = map[string]bool{}
	p, err := protocolOf(ctx, name, text, opt)
	if err != nil {
		return p, r, err
	}
	// Paths are recorded as they are below the folder, so that the recipe does not depend on where it was.
	for _, path := range slices.Sorted(maps.Keys(read)) {
		own := path
		if opt.Folder != "" && filepath.IsAbs(opt.Folder) == filepath.IsAbs(path) { // both absolute or both relative, as Rel needs it
			if below, err := filepath.Rel(opt.Folder, path); err == nil {
				own = below
			}
		}
		r.Data = append(r.Data, campaign.File{Path: filepath.ToSlash(own), Content: read[path]})
	}
	// One that is named by an absolute path which another recorded file fits as well is recorded under that path, too.
	for _, path := range slices.Sorted(maps.Keys(read)) {
		if f := recordedFile(r.Data, path); opt.absolute[path] && (f == nil || !bytes.Equal(f.Content, read[path])) {
			r.Data = append(r.Data, campaign.File{Path: filepath.ToSlash(path), Content: read[path]})
		}
	}
	// A kernel that was found is fixed by its text, which may round it: the protocol that is returned must have the same.
	if len(opt.found.Calls) > 0 {
		encoded, err := json.MarshalIndent(opt.found, "", "  ")
		if err != nil {
			return p, r, err
		}
		r.Data = append(r.Data, campaign.File{Path: foundFile, Content: append(encoded, '\n')})
		forecast := p.Forecast
		if p, err = MakeProtocol(ctx, r); err != nil { // of the kernel as its text says it
			return p, r, err
		}
		p.Forecast = forecast
	}
	return p, r, nil
}

// ReadRun is ReadProtocol without a forecast: a run of agents asks what a protocol fixes.
// A forecast would only delay the start.
func ReadRun(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	opt.noForecast = true
	return ReadProtocol(ctx, name, text, opt)
}

// recordedFile returns the recorded file that a script names so; nil where there is none.
func recordedFile(files []campaign.File, path string) *campaign.File {
	path = filepath.ToSlash(filepath.Clean(path))
	var found *campaign.File
	longest, up := -1, 0 // of found: the length of the end that it and the path share, and the number of ../ before its path
	for i, f := range files {
		own := filepath.ToSlash(filepath.Clean(filepath.FromSlash(f.Path)))
		if own == path { // every relative path, and an absolute one that was recorded so
			return &files[i]
		}
		// A script may name a file by an absolute path, whose end below the folder, or beside it, was recorded.
		// Of gram.csv and sub/gram.csv the longer path is meant, and of gram.csv and ../gram.csv the one below the folder.
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

// MakeProtocol makes the protocol of a recipe, without a forecast, from the recorded files alone. Rows
// that were added stand below the rows of the table that the problem is read from. It is the Maker of
// engine/campaign/folder.
func MakeProtocol(ctx context.Context, r question.Recipe) (campaign.Protocol, error) {
	read := func(path string) ([]byte, error) {
		f := recordedFile(r.Data, path)
		if f == nil {
			return nil, fmt.Errorf("%s is not among the recorded files: %w", filepath.ToSlash(filepath.Clean(path)), os.ErrNotExist)
		}
		return f.Content, nil
	}
	// No forecast, no file of this machine, and the recorded kernels where some were found.
	opt := Options{Set: r.Set, noForecast: true, readFile: read}
	var err error
	if opt.found, err = readFound(r.Data); err != nil {
		return campaign.Protocol{}, err
	}
	// Made once without added rows, to learn which table they go to.
	p, err := protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	if err != nil || len(r.Added) == 0 {
		return p, err
	}
	if len(p.Problem.Sources) == 0 {
		return p, errNoTable
	}
	table := p.Problem.Sources[0].Path // the first source is the table of the problem
	data, err := read(table)
	if err == nil {
		data, err = parquet.CSV(allowance.New(ctx, "the table", problem.MaxData, allowance.NoLimit), data)
	}
	if err != nil {
		return p, err
	}
	// Each table of rows is appended to the table with the rows before it, in the order in which they were added.
	var added []*problem.Appended
	for _, f := range r.Added {
		more, err := parquet.CSV(allowance.New(ctx, "the table", problem.MaxData, allowance.NoLimit), f.Content)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Path, err)
		}
		a, err := problem.Append(ctx, table, data, f.Path, more)
		if err != nil {
			return p, err
		}
		data, added = a.Data, append(added, a)
	}
	// Made again, with the longer table in place of the recorded one.
	opt.readFile = func(path string) ([]byte, error) {
		if path == table {
			return data, nil
		}
		return read(path)
	}
	if opt.found != nil {
		opt.found.next = 0 // the kernels found are answered from the first one again
	}
	p, err = protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	for _, a := range added {
		err = a.Place(err) // a mistake in added rows is shown in their own table
	}
	return p, err
}

// errNoTable answers arms that are added to a problem without a table.
var errNoTable = errors.New("the problem of this campaign is not read from a table, so that no rows can be added to it")

// protocolOf evaluates the one protocol of a script.
// It evaluates the statements that the protocol needs, so runs and figures of the script cost nothing.
func protocolOf(ctx context.Context, name, text string, opt Options) (campaign.Protocol, error) {
	script, errs := Parse(name, text)
	if len(errs) > 0 {
		return campaign.Protocol{}, errs
	}
	session := NewSession(opt)
	statements, errs := session.prepare(script)
	if len(errs) > 0 {
		return campaign.Protocol{}, errs
	}
	needed, err := neededFor(name, statements)
	if err != nil {
		return campaign.Protocol{}, err
	}
	session.opt.Set = nil // taken over already
	displays, err := session.Eval(ctx, &Script{source: script.source, statements: needed})
	if err != nil {
		return campaign.Protocol{}, err
	}
	last := needed[len(needed)-1]
	if last.Name == "" { // a protocol may be displayed instead of being bound
		return displays[len(displays)-1].Value.(campaign.Protocol), nil
	}
	return session.scope[last.Name].value.Data.(campaign.Protocol), nil
}

// neededFor returns the statement that makes the one protocol of a script, last, and before it those
// that it depends on, in their order.
func neededFor(file string, statements []*front.Statement) ([]*front.Statement, error) {
	at := -1
	for i, st := range statements {
		// A protocol is a call by itself; one inside another call is not found.
		if _, name := callOf(st.Node); name != "protocol" || st.Params != nil {
			continue
		}
		if at >= 0 {
			return nil, st.Source.At(st.Whole(), "a campaign has one protocol, and this is the second of the script",
				"keep one of them in the script of the campaign")
		}
		at = i
	}
	if at < 0 {
		return nil, fmt.Errorf("%s has no statement like days = protocol(p, delta=0.05), which says what the campaign keeps to", file)
	}
	// Backwards from the protocol: a statement is needed if a later one reads its name.
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

// namesIn returns the names that an expression reads.
func namesIn(n ast.Node) map[string]bool {
	v := names{}
	ast.Walk(&n, v)
	return v
}

// names collects the identifiers that it visits.
type names map[string]bool

// Visit implements ast.Visitor.
func (n names) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		n[id.Value] = true
	}
}

// errCell answers a protocol that rests on a value that Put bound.
var errCell = errors.New("what it does cannot be done again from the folder of a campaign")

// scriptOf returns what a name of the session is defined by as a script that stands by itself.
func scriptOf(s *Session, name string) (string, error) {
	text := ""
	for _, used := range s.scope.below(name) {
		b := s.scope[used]
		if b.put {
			return "", fmt.Errorf("the protocol rests on %s, a value of %s: %w; write a formula kernel such as k(x, y) = "+
				"exp(-abs(x[0]-y[0])), or a table(...) of its values", used, s.giver(), errCell)
		}
		text += b.st.Source.Slice(b.st.Whole()) + "\n"
	}
	return text, nil
}
