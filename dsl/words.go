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

// words is the meaning of a parameter's texts, for completion. Texts of wordsData, wordsOutput and wordsStore are paths, which
// checkFiles checks.
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

// space returns the space of the innermost call that has one: "task", "arm", or "" if unknown. Calls are ordered from the
// outermost to the innermost.
func space(calls []string) string {
	for _, name := range slices.Backward(calls) {
		if name == "task" || name == "arm" {
			return name
		}
	}
	return ""
}

// columnsIn lists the feature columns of the bound problems, of one space, or of both if space is "". As in the CSV file, columns
// of arms begin with x_ and columns of tasks with z_.
func columnsIn(s *Session, space string) []string {
	return ofPoints(s, space, func(p *kernels.Points) []string { return p.Columns })
}

// pointsIn lists the names of the tasks or arms of the bound problems, or of both if space is "".
func pointsIn(s *Session, space string) []string {
	return ofPoints(s, space, func(p *kernels.Points) []string { return p.Names })
}

// ofPoints lists words of the arms and tasks of the bound problems, the latest problem first. It skips problems that are not
// known yet.
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

// tasksIn lists the tasks of the named result or problem, or of all bound problems.
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

// axesIn returns the possible x and y of a plot of a bound name; nil if the name is not bound.
func axesIn(s *Session, name string) (xs, ys []string) {
	if b := s.scope[name]; b != nil {
		return report.Axes(sampleOf(argument{value: b.value}), "any")
	}
	return nil, nil
}

// maxEntries limits the number of folder entries that completion reads, because it must not take longer than a key press.
const maxEntries = 2000

// dataEndings are the file extensions of tables.
var dataEndings = []string{".csv", ".tsv", ".parquet"}

// suggestFile proposes a file with a similar name in the same folder, or lists the tables there. It proposes nothing if the Host
// is not the file system.
func suggestFile(s *Session, name string) string {
	if _, ok := s.opt.Host.(files); !ok {
		return ""
	}
	folder, _ := path.Split(filepath.ToSlash(name)) // script paths have slashes on every operating system
	found := filesIn(s, folder, dataEndings)
	if best := nearest(name, found); best != "" {
		return suggest(name, found)
	}
	found = slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, "/") })
	if len(found) == 0 {
		return ""
	}
	return "tables there: " + joinShort(found)
}

// dataNamed matches the table that a call of problem reads: the argument data, or else path. Group 1 or 2 is a path in quotes.
// Group 3 is a name, for which the caller may have a table.
var dataNamed = regexp.MustCompile(`(?:\bdata\s*=|\bproblem\s*\(\s*(?:path\s*=)?)\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*)\s*[,)])`)

// headerIn lists the columns of the table of the nearest call of problem before the cursor, or else after it. It reads only the
// header of the file, and returns nil after an error.
func headerIn(s *Session, text string, cursor int) []string {
	runes := []rune(text)
	cursor = min(max(cursor, 0), len(runes))
	found := dataNamed.FindStringSubmatch(string(runes[cursor:]))
	// The last call before the cursor is the one that the cursor is in.
	if before := dataNamed.FindAllStringSubmatch(string(runes[:cursor]), -1); len(before) > 0 {
		found = before[len(before)-1]
	}
	if found == nil {
		return nil
	}
	if found[3] != "" { // a name, not a path
		if s.opt.Columns == nil {
			return nil
		}
		return s.opt.Columns(found[3])
	}
	system := s.path(filepath.FromSlash(found[1] + found[2]))
	// Read regular files only: opening a pipe would wait for its writer.
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

// ofSpace lists the columns of a table that can be features of a space: those with the prefix x_ for arms, z_ for tasks. If no
// column has a prefix, any column can be a feature.
func ofSpace(columns []string, space string) []string {
	of := func(prefixes ...string) []string {
		return slices.DeleteFunc(slices.Clone(columns), func(name string) bool {
			return !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		})
	}
	switch {
	case len(of("x_", "z_")) == 0: // without prefixes, any column may be a feature
		return columns
	case space == "task":
		return of("z_")
	case space == "arm":
		return of("x_")
	}
	return of("x_", "z_")
}

// maxHeader limits the bytes of a table that completion reads for its header.
const maxHeader = 1 << 16

// filesIn lists the files and folders that complete a path of the script. Files must have one of the endings; nil endings mean
// those that save can write. Folders end in a slash. Hidden files appear only if the prefix has a dot. It reads at most
// maxEntries entries of the folder.
func filesIn(s *Session, prefix string, endings []string) []string {
	if endings == nil {
		endings = save.Endings()
	}
	// Each proposal begins with the folder as written in the script.
	folder, start := path.Split(prefix)
	system := cmp.Or(s.path(filepath.FromSlash(folder)), ".")
	f, err := os.Open(system)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxEntries) // use the entries read before an error
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || name[0] == '.' && start == "" {
			continue
		}
		folderToo := e.IsDir()
		// Treat a link like its target.
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

// suggest proposes the most similar known word, or lists the known words; "" if there are none.
func suggest(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + joinShort(known)
}

// joinShort joins words for a hint, and shortens a long list.
func joinShort(words []string) string { return sentence.List(words, 60) }

// maxWord is the largest length of a word that is compared with known words.
const maxWord = 200

// nearest returns the most similar known word: the first one with the smallest distance. It returns "" if the distance exceeds a
// third of the word plus 1, or half of the word. The distance counts changed or swapped letters, ignoring case.
func nearest(word string, known []string) string {
	best, least := "", 2+len([]rune(word))/3
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if d := lists.Distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k)), least); d < least && 2*d <= len([]rune(word)) {
			best, least = k, d
		}
	}
	return best
}

// onlyWith returns the known word that contains the given word, ignoring case; "" if there is none, or several, or if the word
// has fewer than three letters.
func onlyWith(word string, known []string) string {
	having := lists.Where(known, func(k string) bool { return strings.Contains(strings.ToLower(k), strings.ToLower(word)) })
	if len([]rune(word)) < 3 || len(having) != 1 {
		return ""
	}
	return having[0]
}

// suggestFunction proposes the equivalent of another tool's word, or a function with a similar name.
func suggestFunction(word string) string {
	if hint := foreignWord(word); hint != "" {
		return hint
	}
	if f := functionMeant(word); f != nil {
		return fmt.Sprintf("did you mean %q?", f.Name)
	}
	return "known: " + joinShort(functionNames())
}

// functionMeant returns the function that a word means, by name, synonym or similar spelling; nil if there is none. Synonyms are
// tested before spellings, since a synonym may resemble the name of another function.
func functionMeant(word string) *Function {
	for i, f := range functions {
		if f.Name == word || slices.Contains(f.Synonyms, strings.ToLower(word)) {
			return &functions[i]
		}
	}
	return index[nearest(word, functionNames())]
}

func functionNames() []string { return lists.Map(functions, func(f Function) string { return f.Name }) }

// suggestName proposes a bound name with a similar spelling, or a function that lacks its brackets. In a check it also finds
// names that are bound further below.
func suggestName(e *evaluator, word string) string {
	for _, st := range e.all {
		if st.Name == word && st == e.st {
			return "a name cannot be used in its own definition"
		}
		if st.Name == word {
			line, _ := st.Source.Position(st.NameAt.From)
			return fmt.Sprintf("it is bound in line %d; a name is used after it is bound", line)
		}
	}
	if hint := foreignWord(word); hint != "" && index[word] == nil { // a function of the language is proposed below, with its brackets
		return hint
	}
	// Propose names before functions, because the script does not call the word here.
	names := e.scope.names()
	if best := nearest(word, names); best != "" {
		return suggest(word, names)
	}
	if f := functionMeant(word); f != nil {
		return "did you mean " + f.Signature() + "?"
	}
	if len(names) == 0 {
		return "no name is bound yet; write texts in quotes"
	}
	return "bound names: " + joinShort(names) + "; write texts in quotes"
}
