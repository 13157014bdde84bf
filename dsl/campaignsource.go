package dsl

import (
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
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// ReadProtocol evaluates what the one protocol(...) of a script depends on, and nothing else of it. It
// returns the protocol with its forecast, and the recipe by which it can be made again: the script
// and every file that was read. Relative paths are below opt.Folder.
func ReadProtocol(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	r := question.Recipe{Script: campaign.File{Path: filepath.Base(name), Content: []byte(text)}, Set: opt.Set}
	read := map[string][]byte{}
	opt.readFile = func(path string) ([]byte, error) {
		data, err := opt.file(ctx, path)
		if err == nil {
			read[path] = data
		}
		return data, err
	}
	opt.found = &found{recording: true}
	p, err := protocolOf(ctx, name, text, opt)
	if err != nil {
		return p, r, err
	}
	for _, path := range slices.Sorted(maps.Keys(read)) {
		own := path
		if opt.Folder != "" && filepath.IsAbs(opt.Folder) == filepath.IsAbs(path) {
			if below, err := filepath.Rel(opt.Folder, path); err == nil {
				own = below
			}
		}
		r.Data = append(r.Data, campaign.File{Path: filepath.ToSlash(own), Content: read[path]})
	}
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
func ReadRun(ctx context.Context, name, text string, opt Options) (campaign.Protocol, question.Recipe, error) {
	opt.noForecast = true
	return ReadProtocol(ctx, name, text, opt)
}

// MakeProtocol makes the protocol of a recipe, without a forecast, from the recorded files alone. Rows
// that were added stand below the rows of the table that the problem is read from. It is the Maker of
// engine/campaign/folder.
func MakeProtocol(ctx context.Context, r question.Recipe) (campaign.Protocol, error) {
	read := func(path string) ([]byte, error) {
		for _, f := range r.Data {
			// a script may name a file below its folder by an absolute path
			if strings.HasSuffix("/"+filepath.ToSlash(path), "/"+f.Path) {
				return f.Content, nil
			}
		}
		return nil, fmt.Errorf("%s is not among the recorded files: %w", path, os.ErrNotExist)
	}
	opt := Options{Set: r.Set, noForecast: true, readFile: read}
	var err error
	if opt.found, err = readFound(r.Data); err != nil {
		return campaign.Protocol{}, err
	}
	p, err := protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	if err != nil || len(r.Added) == 0 {
		return p, err
	}
	if len(p.Problem.Sources) == 0 {
		return p, errNoTable
	}
	table := p.Problem.Sources[0].Path
	data, err := read(table)
	if err == nil {
		data, err = parquet.CSV(data)
	}
	if err != nil {
		return p, err
	}
	var added []*problem.Appended
	for _, f := range r.Added {
		more, err := parquet.CSV(f.Content)
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Path, err)
		}
		a, err := problem.Append(table, data, f.Path, more)
		if err != nil {
			return p, err
		}
		data, added = a.Data, append(added, a)
	}
	opt.readFile = func(path string) ([]byte, error) {
		if path == table {
			return data, nil
		}
		return read(path)
	}
	if opt.found != nil {
		opt.found.next = 0
	}
	p, err = protocolOf(ctx, r.Script.Path, string(r.Script.Content), opt)
	for _, a := range added {
		err = a.Place(err)
	}
	return p, err
}

// errNoTable answers arms that are added to a problem without a table.
var errNoTable = errors.New("the problem of this campaign is not read from a table, so that no rows can be added to it")

// protocolOf evaluates the one protocol of a script.
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
	if last.Name == "" {
		return displays[len(displays)-1].Value.(campaign.Protocol), nil
	}
	return session.scope[last.Name].value.Data.(campaign.Protocol), nil
}

// neededFor returns the statement that makes the one protocol of a script, last, and before it those
// that it depends on, in their order.
func neededFor(file string, statements []*front.Statement) ([]*front.Statement, error) {
	at := -1
	for i, st := range statements {
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
	wanted := namesIn(statements[at].Node)
	out := []*front.Statement{statements[at]}
	for i := at - 1; i >= 0; i-- {
		if st := statements[i]; st.Name != "" && wanted[st.Name] {
			maps.Copy(wanted, namesIn(st.Node))
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
