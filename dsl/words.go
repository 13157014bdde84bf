package dsl

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// words describes the meaning of a parameter's texts, for completion. Texts of wordsData, wordsOutput and wordsStore are
// paths; checkFiles checks these paths.
type words string

const (
	wordsColumns words = "columns of a problem"
	wordsPoints  words = "tasks or arms of a problem"
	wordsTasks   words = "tasks of a result or a problem"
	wordsData    words = "a CSV file"
	wordsHeader  words = "columns of the file data"
	wordsOutput  words = "a file to write"
	wordsStore   words = "a store of results"
	wordsSwept   words = "a swept name"
	wordsX       words = "x of a figure"
	wordsY       words = "y of a figure"
)

// space returns the space that the cursor is in: "task", "arm", or "" if unknown. calls are the names of the surrounding
// calls, outermost first; the innermost call with a space decides.
func space(calls []string) string {
	for _, name := range slices.Backward(calls) {
		if name == "task" || name == "arm" {
			return name
		}
	}
	return ""
}

// columnsIn lists the feature columns of the bound problems. space is "task" or "arm"; "" means both. As in CSV files,
// columns of arms begin with x_ and columns of tasks with z_.
func columnsIn(s *Session, space string) []string {
	return ofPoints(s, space, func(p *kernels.Points) []string { return p.Columns })
}

// pointsIn lists the names of the tasks or arms of the bound problems. space is "task" or "arm"; "" means both.
func pointsIn(s *Session, space string) []string {
	return ofPoints(s, space, func(p *kernels.Points) []string { return p.Names })
}

// ofPoints calls words for the arms and tasks of each bound problem and collects the results, starting with the latest
// problem. It skips problems whose data are not known yet.
func ofPoints(s *Session, space string, words func(*kernels.Points) []string) (all []string) {
	for _, name := range slices.Backward(s.Names()) {
		p, ok := s.scope[name].value.Data.(*problem.Problem)
		if ok && space != "task" {
			all = append(all, words(p.Arms)...)
		}
		if ok && space != "arm" {
			all = append(all, words(p.Tasks)...)
		}
	}
	return all
}

// tasksIn lists the tasks of the result or problem that is bound to name. Otherwise it lists the tasks of all bound
// problems.
func tasksIn(s *Session, name string) []string {
	if b, bound := s.scope[name]; bound {
		switch v := b.value.Data.(type) {
		case engine.Result:
			return lists.Map(v.Answers, func(a engine.Answer) string { return a.Task })
		case *problem.Problem:
			return v.Tasks.Names
		}
	}
	return pointsIn(s, "task")
}

// axesIn returns the quantities that plot can show along x and y for the value of a bound name. It returns nil if the name
// is not bound.
func axesIn(s *Session, name string) (xs, ys []string) {
	if b := s.scope[name]; b != nil {
		return report.Axes(sampleOf(argument{value: b.value}), "any")
	}
	return nil, nil
}

// maxEntries limits the number of folder entries that completion reads, so that completion is fast enough for interactive
// use.
const maxEntries = 2000

// dataEndings are the file extensions of data tables.
var dataEndings = []string{".csv", ".tsv", ".parquet"}

// suggestFile returns a hint for a file that does not exist: a file with a similar name in the same folder, or the list of
// tables there. It returns "" if the Host is not the local file system.
func suggestFile(s *Session, name string) string {
	if _, ok := s.opt.Host.(files); !ok {
		return ""
	}
	folder, _ := path.Split(filepath.ToSlash(name)) // script paths have slashes on every system
	found := filesIn(s, folder, dataEndings)
	if best := lists.Nearest(name, found); best != "" {
		return suggest(name, found)
	}
	found = slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, "/") })
	if len(found) == 0 {
		return ""
	}
	return "tables there: " + joinShort(found)
}

// dataNamed finds the table that a call of problem reads: its argument data, or else path. Group 1 or 2 is a path in
// quotes. Group 3 is a name, for which Options.Columns may have the columns.
var dataNamed = regexp.MustCompile(`(?:\bdata\s*=|\bproblem\s*\(\s*(?:path\s*=)?)\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*)\s*[,)])`)

// headerIn lists the columns of the table that a call of problem reads. It uses the last such call before the cursor, or
// else the first after it. It reads only the header of the file, and returns nil after an error.
func headerIn(s *Session, text string, cursor int) []string {
	runes := []rune(text)
	cursor = min(max(cursor, 0), len(runes))
	found := dataNamed.FindStringSubmatch(string(runes[cursor:]))
	// Use the last call before the cursor, since the cursor may be inside that call.
	if before := dataNamed.FindAllStringSubmatch(string(runes[:cursor]), -1); len(before) > 0 {
		found = before[len(before)-1]
	}
	if found == nil {
		return nil
	}
	if found[3] != "" { // group 3: a name instead of a path
		if s.opt.Columns == nil {
			return nil
		}
		return s.opt.Columns(found[3])
	}
	system := s.path(filepath.FromSlash(found[1] + found[2]))
	// Read only regular files: opening a named pipe would block.
	if info, err := os.Stat(system); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(system)
	if err != nil {
		return nil
	}
	defer f.Close()
	if columns, ok := parquet.Columns(f); ok { // a Parquet file lists its columns at its end
		return columns
	}
	head, _ := io.ReadAll(io.NewSectionReader(f, 0, maxHeader))
	return problem.Columns(head)
}

// ofSpace lists the columns that can be features of a space: columns with prefix x_ for arms, and z_ for tasks. If no
// column has either prefix, every column can be a feature.
func ofSpace(columns []string, space string) []string {
	of := func(prefixes ...string) []string {
		return slices.DeleteFunc(slices.Clone(columns), func(name string) bool {
			return !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		})
	}
	switch {
	case len(of("x_", "z_")) == 0: // no column has a prefix, so every column can be a feature
		return columns
	case space == "task":
		return of("z_")
	case space == "arm":
		return of("x_")
	}
	return of("x_", "z_")
}

// maxHeader limits how many bytes of a table completion reads to find the header.
const maxHeader = 1 << 16

// filesIn lists the files and folders whose path begins with prefix. It lists only files with one of the given extensions;
// nil means the extensions that save can write. A folder's path ends with a slash. Hidden files are listed only if the
// name in prefix begins with a dot. It reads at most maxEntries entries of a folder.
func filesIn(s *Session, prefix string, endings []string) []string {
	if endings == nil {
		endings = save.Endings()
	}
	// Each proposal starts with the folder as the script writes it.
	folder, start := path.Split(prefix)
	system := cmp.Or(s.path(filepath.FromSlash(folder)), ".")
	f, err := os.Open(system)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxEntries) // an error may follow after some entries; use those entries
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || name[0] == '.' && start == "" {
			continue
		}
		folderToo := e.IsDir()
		// For a symbolic link, test its target.
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(system, name))
			folderToo = err == nil && info.IsDir()
		}
		switch {
		case folderToo:
			found = append(found, folder+name+"/")
		case slices.Contains(endings, strings.ToLower(filepath.Ext(name))):
			found = append(found, folder+name)
		}
	}
	slices.Sort(found)
	return found
}

// suggest returns a hint for a misspelled word: the most similar known word, or the list of known words. It returns "" if
// known is empty.
func suggest(word string, known []string) string {
	if best := lists.Nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + joinShort(known)
}

// joinShort joins words to a text for a hint. It shortens a long list.
func joinShort(words []string) string { return sentence.List(words, 60) }

// onlyWith returns the only known name that contains word, ignoring case. It returns "" if no name or several names
// contain word, or if word has fewer than three letters.
func onlyWith(word string, known []string) string {
	having := lists.Where(known, func(k string) bool { return strings.Contains(strings.ToLower(k), strings.ToLower(word)) })
	if len([]rune(word)) < 3 || len(having) != 1 {
		return ""
	}
	return having[0]
}

// suggestFunction returns a hint for an unknown function name: the equivalent of another tool's word, or a function with a
// similar name.
func suggestFunction(word string) string {
	if hint := foreignWord(word); hint != "" {
		return hint
	}
	if f := functionMeant(word); f != nil {
		return fmt.Sprintf("did you mean %q?", f.Name)
	}
	return "known: " + joinShort(functionNames())
}

// functionMeant returns the function that a word probably means, because it is the function's name, a synonym, or similar
// to one. It returns nil if there is none. It compares synonyms first, because a synonym may resemble another function's
// name.
func functionMeant(word string) *Function {
	for i, f := range functions {
		if f.Name == word || slices.Contains(f.Synonyms, strings.ToLower(word)) {
			return &functions[i]
		}
	}
	return index[lists.Nearest(word, functionNames())]
}

func functionNames() []string { return lists.Map(functions, func(f Function) string { return f.Name }) }

// suggestName returns a hint for a name that is not bound: a bound name with a similar spelling, or a function that should
// be called. In a check, it also considers names that later statements bind.
func suggestName(e *evaluator, word string) string {
	for _, st := range e.all {
		if st.Name == word && st == e.st {
			return "a name cannot be used in its own definition"
		}
		if st.Name == word {
			line, _ := st.Source.Position(st.NameAt.From)
			return fmt.Sprintf("it is defined in line %d; define a name before you use it", line)
		}
	}
	if hint := foreignWord(word); hint != "" && index[word] == nil { // a function of the language is handled below
		return hint
	}
	// Suggest bound names before functions, because word is not followed by brackets.
	names := e.scope.names()
	if best := lists.Nearest(word, names); best != "" {
		return suggest(word, names)
	}
	if f := functionMeant(word); f != nil {
		return "did you mean " + f.Signature() + "?"
	}
	if len(names) == 0 {
		return "no name is defined yet; write texts in quotes"
	}
	return "defined names: " + joinShort(names) + "; write texts in quotes"
}
