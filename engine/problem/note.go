package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Note is a fact that a reader of a problem may wonder about: how a file was read, where that is
// not plain, or what the kernel is on the points. Its String is the sentence.
type Note struct {
	Kind    NoteKind
	Path    string    // path of the file that it is about, "" for none
	Names   []string  // names of tasks, arms, columns and others in the sentence
	Numbers []float64 // numbers of the sentence, in the units that it names
}

// NoteKind is the kind of fact of a Note.
type NoteKind string

// The kinds of notes on files.
const (
	NoteLineSkipped  NoteKind = "line skipped"  // the one above the header
	NoteLinesSkipped NoteKind = "lines skipped" // numbers: lines above the header
	NoteTwice        NoteKind = "twice"         // names: of several columns, and what the second one is called
	// names: what the rows do; numbers: rows, line of the first
	NoteNoData        NoteKind = "no data"
	NoteRowNames      NoteKind = "row names"      // the header has no name for the first column
	NoteHeaderLines   NoteKind = "header lines"   // names: the first of the joined names
	NoteSeparator     NoteKind = "separator"      // names: the character
	NoteDecimalCommas NoteKind = "decimal commas" // names: the separator
	NoteThousands     NoteKind = "thousands"      // names: the first number with a point; numbers: its line
	NoteGroups        NoteKind = "groups"         // names: column, the first number whose thousands are parted
	NoteIgnored       NoteKind = "ignored"        // names: columns
	NoteCategories    NoteKind = "categories"     // names: column, then categories in the order of their codes
	NoteIdentifiers   NoteKind = "identifiers"    // names: those of NoteCategories; the names are whole numbers, written like names
	// names: column, then groups of texts that became one setting; numbers: how many texts each group has
	NoteEqual   NoteKind = "equal"   // texts that are equal as numbers, and may be names
	NoteRounded NoteKind = "rounded" // numbers that agree to 15 digits
	NoteWritten NoteKind = "written" // names and numbers: those of NoteEqual; the names stay different
	NoteAlike   NoteKind = "alike"   // names: column, and two names that differ in capital letters and the like alone
	NoteUnseen  NoteKind = "unseen"  // names: column, name, and the code of a character in it that cannot be seen; numbers: its line

	NoteNoReward NoteKind = "no reward" // names: column; numbers: rows, line of the last
	NoteFailed   NoteKind = "failed"    // names: column, reasons; numbers: measurements in all, then of each reason
	NoteLimits   NoteKind = "limits"    // names: column; numbers: values below a limit, values above one
	NoteNotDrawn NoteKind = "not drawn" // names: column
	NoteNoOption NoteKind = "no option" // names: options, of many the first; numbers: options without a row, of all
	NoteTotals   NoteKind = "totals"    // names: column, a value of it, the condition without it
	// names: column of units or quantities, two of its values, column of rewards, the condition for the first value
	NoteMixed NoteKind = "mixed"
	NoteSums  NoteKind = "sums" // names: columns of the means and of their counts
	// names: columns of the rewards and of their counts
	NoteSuccesses   NoteKind = "successes"
	NotePercentages NoteKind = "percentages" // names: those of NoteSuccesses
	// names: column of how runs ended, a text of it, column of rewards, the condition for rows that failed; numbers: such rows with a value
	NoteEnded      NoteKind = "ended"
	NoteUnfinished NoteKind = "unfinished" // names: column of states, states of unfinished runs; numbers: rows with each state
	// names: which lines repeat which; numbers: rows that repeat others and count once, all rows
	NoteCopies  NoteKind = "copies"
	NoteRepeats NoteKind = "repeats" // names and numbers: those of NoteCopies; each row counts
	// names and numbers: those of NoteRepeats; the rows differ in digits or in columns without a meaning
	NoteNearCopies NoteKind = "near copies"
	// names: task and arm of each, of many the first; numbers: arms left out, all arms
	NoteDropped NoteKind = "dropped"
	// names: task and arm of the first; numbers: arms not measured, all arms
	NoteUnmeasured NoteKind = "unmeasured"
	// too little is measured to find a kernel; numbers: all arms
	NoteCandidates NoteKind = "candidates"
	NoteInferred   NoteKind = "inferred"      // names and numbers: those of NoteUnmeasured; runs draw expected rewards
	NoteOnce       NoteKind = "measured once" // names and numbers: those of NoteUnmeasured
	NotePooled     NoteKind = "pooled"        // names and numbers: those of NoteUnmeasured
	NoteNoNoise    NoteKind = "no noise"
	// names: columns of arms; numbers: combinations that a task has in the table at most, all combinations
	NoteCombinations NoteKind = "combinations"
	NoteNested       NoteKind = "nested"    // names: columns of blocks whose labels occur at several tasks
	NoteBlocks       NoteKind = "blocks"    // names: columns that state what was measured together
	NoteRandom       NoteKind = "random"    // names: columns of random effects
	NoteOneLevel     NoteKind = "one level" // names: a random column, its only value
	NoteBent         NoteKind = "bent"      // numbers: what was added to the diagonal of a matrix
)

// The kinds of notes on the kernel of a problem.
const (
	NoteCodes NoteKind = "codes" // names: kernel, column
	// names: kernel, column; numbers: length scale, range or smallest step, least and greatest value,
	// and of a column that was scaled these two in the units of the data
	NoteLongScale  NoteKind = "long scale"
	NoteShortScale NoteKind = "short scale" // names and numbers: those of NoteLongScale

	NoteAdmitsAll NoteKind = "admits all" // numbers: different arms
	NoteUnrelated NoteKind = "unrelated"  // numbers: those of NoteAdmitsAll; the prior relates no two arms
	// numbers: accuracy, directions that the kernel tells apart at it among the arms drawn and at most
	// among all, arms drawn, all arms, few directions, accuracy at which few are left
	NoteRough NoteKind = "rough"
	// names: a smoother kernel; numbers: directions that it tells apart at the same accuracy
	NoteRoughKernel NoteKind = "rough: smoother kernel"
)

// noteSentences have a verb for each text that words makes of the names, then for each number, in the
// order of the Note or by their place in it.
var noteSentences = map[NoteKind]string{
	NoteLineSkipped:  "line 1, above the header, is skipped",
	NoteLinesSkipped: "lines 1 to %d, above the header, are skipped",
	NoteRowNames:     "rows have one value more than the header. The first is used as the row name",
	NoteHeaderLines: "the header has two lines, as pandas writes columns of two levels. They are joined to names such as %[1]q. To write " +
		"one line: df.columns = df.columns.map('_'.join)",
	NoteTwice:         "several columns are named %[1]q. The first is used; the second is renamed %[2]q",
	NoteNoData:        "rows that %[1]s are skipped: %[2]d, the first in line %[3]d",
	NoteSeparator:     "columns are separated by %s",
	NoteDecimalCommas: "columns are separated by %s, numbers have decimal commas",
	NoteThousands:     "the point in %s (line %d) is read as a decimal point. If points separate thousands, delete them",
	NoteGroups:        "column %[1]q has numbers such as %[2]s. Their mark separates thousands and is ignored",
	NoteIgnored:       "columns not used: %s. If one of them matters, its effect counts as noise",
	NoteCategories:    "column %q has text. Its values are categories without an order, with the codes %s",
	NoteIdentifiers: "column %q has whole numbers with a leading zero or more than 15 digits. They are names, so " +
		"categories without an order, with the codes %s",
	NoteEqual: "column %[1]q has equal numbers that are written in different ways. They count as one setting: %[2]s. If they are names, " +
		"such as versions, write text=%[1]q (--text %[1]q)",
	NoteRounded: "column %[1]q has numbers that agree in 15 digits. They count as one setting: %[2]s",
	NoteWritten: "column %[1]q has names that are equal as numbers: %[2]s. They count as different names. If they mean the same, write " +
		"them alike",
	NoteAlike: "column %[1]q: %[2]q and %[3]q differ only in capital letters, blanks or the like. They count as two names. If they mean " +
		"the same, write them alike",
	NoteUnseen: "column %[1]q: the name %[2]q in line %[4]d has the invisible character %[3]s. Remove it if it is a mistake",

	NoteNoReward: "rows without a value of %s do not count as measurements. There are %d, the last in line %d",
	NoteFailed: "column %[1]q: measurements without a value count as failed (%[3]d): %[2]s. Leave the cell empty if nothing was " +
		"measured",
	NoteLimits: "column %[1]q has limits instead of some values: %[2]s. The estimates use them as limits; tables of means show the limit " +
		"itself",
	NoteNotDrawn: "column %q: fc and fb cannot draw simulated rewards from these measurements, because values beyond a limit are " +
		"unknown. They use the noise scale instead",
	NoteNoOption: "where= removes all rows of %[2]d of %[3]d options: %[1]s",
	NoteTotals: `%[2]q in column %[1]q looks like a total or a mean of other rows, but counts as an option. ` +
		`If it is a total, leave it out: where=%[3]q`,
	NoteMixed: `column %[1]q has several values in a task, such as %[2]q and %[3]q, and is not used. All values of %[4]q count ` +
		`as one quantity in one unit. If they are not, convert them, or choose: where=%[5]q`,
	NoteSums: `column %[1]q grows with %[2]q as sums do, but is read as means. ` +
		`If it holds sums, write reward="col('%[1]s') / col('%[2]s')"`,
	NoteSuccesses: `all values of %[1]q are whole numbers from 0 to %[2]q. They are read as means. If they count successes, write ` +
		`successes=%[1]q, trials=%[2]q instead of reward and count`,
	NotePercentages: `the values of %[1]q are percentages of %[2]q, rounded to whole numbers. They are read as means. If they count ` +
		`successes, write a column of successes, and name it: successes=, trials=%[2]q instead of reward and count`,
	NoteEnded: `%[5]d of the measured rows have a text such as %[2]q in column %[1]q. Their values of %[3]q are used. If these rows failed, ` +
		`write failed=%[4]q (--failed)`,
	NoteUnfinished: `column %[1]q: runs that did not finish count as failed, even with a value: %[2]s. To use their values, write ` +
		`failed="false" (--failed false)`,
	NoteCopies: "%[5]d of %[6]d rows %[2]s in every column and %[3]s once: %[1]s. They are probably copies. " +
		"If they are real measurements, add a column that distinguishes them, such as a row number",
	NoteNearCopies: "%[5]d of %[6]d rows %[2]s in option and value, though not in every column or digit: %[1]s. %[4]s",
	NoteRepeats:    "%[5]d of %[6]d rows %[2]s in every column: %[1]s. %[4]s",
	NoteDropped:    "%[2]d of %[3]d arms are not measured and are left out: %[1]s",
	NoteUnmeasured: `%[1]s not measured. fit and bounds use the others; fc and fb cannot simulate it. ` +
		`Measure it, or leave it out by unmeasured="drop"`,
	NoteCandidates: "too few of the %d options are measured to fit a kernel. A default kernel is used, " +
		"which CoBayesFB adapts during the run; kernel= states your own. protocol(...) and campaign start propose the first measurements",
	NoteInferred: `%[1]s not measured. Simulated runs draw expected rewards there from predictions by the other measurements, ` +
		`and fit and bounds use these. To leave such arms out, write unmeasured="drop"`,
	NoteOnce: "%[1]s measured once, so simulated rewards are drawn from the noise scale. Expected rewards include the noise of that " +
		"measurement. So the best of many such arms is partly lucky",
	NoteBent: "the matrix is not exactly positive semi-definite, maybe because its numbers are rounded. To repair it, %g is added to its " +
		"diagonal",
	NoteCombinations: `%[2]d of %[3]d combinations of %[1]s are in the table. candidates="all" (--candidates all) considers the rest`,
	NoteNested: `the labels of %[1]s occur at several tasks. They count as different blocks at each task. If a label is one block at all ` +
		`tasks, write crossed=%[2]q (--crossed)`,
	NotePooled: "%[1]s without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks " +
		"if the task has none",
	NoteBlocks: `measurements of the same %[1]s share an effect. best removes it; algorithms treat it as noise. ` +
		`protocol(..., block=%[2]q) compares arms within it`,
	NoteRandom: "options vary with %s. best recommends what is best on average; algorithms treat this variation as noise",
	NoteOneLevel: `random column %[1]q has only the value %[2]q. So the data do not show how much options vary between its values, and the ` +
		`answer holds for this one. Measure at other values, too`,
	NoteNoNoise: "the noise of rewards is not stated. Some algorithms estimate it while sampling. To state it, write noise= or add a " +
		"column sd",

	NoteCodes: "%[1]s uses column %[2]q, whose numbers are codes of text without an order. Name the other columns in dims= of %[1]s, and " +
		"multiply by category(dims=%[2]q)",
	NoteLongScale: "the length scale %.4[4]g of %[1]s is more than 20 times the range of column %[2]q, %.4[5]g (%.4[6]g to " +
		"%.4[7]g%[3]s). The kernel treats all its values as nearly equal. Check the unit",
	NoteShortScale: "the length scale %.4[4]g of %[1]s is less than a twentieth of the smallest step of column %[2]q, %.4[5]g " +
		"(values %.4[6]g to %.4[7]g%[3]s). The kernel treats its values as unrelated. Check the unit",

	NoteAdmitsAll: `the kernel has full rank on these %d arms, so CoTestFC and CoKernelFC gain nothing from it. ` +
		`To share, state norm= for CoTestFC, or use CoBayesFC or CoBayesFB. A kernel of lower rank also helps: fewer terms, no identity(), longer length scales`,
	NoteUnrelated: "the kernel treats these %d arms as unrelated, as identity() does. No method gains from it. " +
		"To relate them, use longer length scales, or a kernel of lower rank such as linear()",
	NoteRough: "at an accuracy of %.2g the kernel has an effective rank of %d to %d (counted on %d random arms of %d). Samples, memory and " +
		"time grow with the rank. At an accuracy of about %.2[7]g the rank is %[6]d",
	NoteRoughKernel: "a smoother kernel with the same length scales, %s, has an effective rank of about %d",
}

// OfSimulation reports whether the note is on how rewards are simulated, which does not concern
// answers from what was measured.
func (n Note) OfSimulation() bool {
	return slices.Contains([]NoteKind{NoteUnmeasured, NoteInferred, NoteOnce, NotePooled, NoteBlocks, NoteRandom, NoteNotDrawn}, n.Kind)
}

// OfAnswers reports whether the note changes what answers from the measurements are worth, so that they warn of it.
func (n Note) OfAnswers() bool {
	return slices.Contains([]NoteKind{NoteEqual, NoteCopies, NoteNearCopies, NoteTotals, NoteMixed, NoteSums, NoteSuccesses,
		NotePercentages, NoteEnded, NoteUnfinished}, n.Kind)
}

// OfAlgorithms reports whether the note is on what some algorithms make of the kernel or the noise. A
// result has warnings of its own, of the algorithm that made it.
func (n Note) OfAlgorithms() bool {
	return slices.Contains([]NoteKind{NoteNoNoise, NoteAdmitsAll, NoteUnrelated}, n.Kind)
}

// String returns the sentence, without a full stop.
func (n Note) String() string { return NoteText(n) }

// Sentence returns String without the path.
func (n Note) Sentence() string {
	n.Path = ""
	return n.String()
}

// NoteText returns one sentence for several notes of one kind and the same names, at least one, with
// a range for each number that differs. A kind that is not listed is its own sentence.
func NoteText(notes ...Note) string {
	n := notes[0]
	format, listed := noteSentences[n.Kind]
	if !listed {
		return string(n.Kind)
	}
	text := sentence.Write(format, n.words(), lists.Map(notes, func(x Note) []float64 { return x.Numbers })...)
	if n.Path != "" {
		return n.Path + ": " + text
	}
	return text
}

// words returns the texts of the sentence.
func (n Note) words() []string {
	switch n.Kind {
	case NoteSeparator, NoteDecimalCommas:
		return []string{separators[n.name(0)]}
	case NoteIgnored, NoteCombinations, NoteRandom:
		return []string{listed(n.Names)}
	case NoteBlocks, NoteNested:
		return []string{listed(n.Names), n.name(0)}
	case NoteEqual, NoteRounded, NoteWritten:
		return []string{n.name(0), n.groups()}
	case NoteCategories, NoteIdentifiers:
		var codes []string
		for k := 1; k < len(n.Names); k++ {
			codes = append(codes, fmt.Sprintf("%s = %d", n.Names[k], k-1))
		}
		if len(codes) > 2*fewShown {
			codes = codes[:fewShown]
		}
		return []string{n.name(0), listedOf(codes, len(n.Names)-1)}
	case NoteCopies, NoteRepeats, NoteNearCopies:
		if n.number(0) == 1 {
			return []string{n.name(0), "repeats another", "counts", "It counts as a measurement; if it is a copy, delete it"}
		}
		return []string{n.name(0), "repeat others", "count", "They count as measurements; if they are copies, delete them"}
	case NoteFailed:
		return []string{n.name(0), n.failedWords()}
	case NoteUnfinished:
		return []string{n.name(0), listed(lists.Make(len(n.Numbers), func(k int) string {
			return fmt.Sprintf("%.0f %s", n.number(k), n.name(k+1))
		}))}
	case NoteLimits:
		return []string{n.name(0), n.limitWords()}
	case NoteNoOption:
		return []string{listedOf(n.Names, int(n.number(0)))}
	case NoteDropped:
		var arms []string
		for k := 0; k < len(n.Names); k += 2 {
			arms = append(arms, where(n.name(k), n.name(k+1)))
		}
		count := int(n.number(0))
		if count > len(arms) { // a few examples show the kind
			arms = arms[:min(len(arms), fewShown)]
		}
		return []string{listedOf(arms, count)}
	case NoteUnmeasured, NoteInferred, NoteOnce, NotePooled:
		return []string{n.some()}
	case NoteLongScale, NoteShortScale:
		scaled := ""
		if len(n.Numbers) == 6 {
			scaled = fmt.Sprintf(", which are %s to %s in the units of the data", plainNumber(n.Numbers[4]), plainNumber(n.Numbers[5]))
		}
		return []string{n.name(0), n.name(1), scaled}
	}
	return n.Names
}

// groups lists groups of texts, of many the first: "12.1 and 12.10; 13 and 13.0".
func (n Note) groups() string {
	var words []string
	at := 1
	for k := range n.Numbers[:min(len(n.Numbers), fewShown)] {
		texts := n.Names[at : at+int(n.number(k))]
		at += len(texts)
		last := texts[len(texts)-1]
		if more := len(texts) - fewShown; more > 0 {
			last = fmt.Sprintf("%d more", more+1)
		}
		words = append(words, strings.Join(texts[:min(len(texts)-1, fewShown-1)], ", ")+" and "+last)
	}
	if more := len(n.Numbers) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// fewShown is how many arms that are left out are named where they are too many to name all, and codes of categories.
const fewShown = 3

// name and number return the value at a place, or the zero value if there is none.
func (n Note) name(k int) string {
	if k < len(n.Names) {
		return n.Names[k]
	}
	return ""
}

func (n Note) number(k int) float64 {
	if k < len(n.Numbers) {
		return n.Numbers[k]
	}
	return 0
}

// some names the first of some arms and states how many others there are, with the verb "is" or "are".
func (n Note) some() string {
	first := where(n.name(0), n.name(1))
	switch count, all := n.number(0), n.number(1); count {
	case all:
		return "all arms are"
	case 1:
		return first + " is"
	default:
		return fmt.Sprintf("%s and %.0f more of %.0f arms are", first, count-1, all)
	}
}

// where names an arm by its task and itself: `task "a", arm "b"`.
func where(task, arm string) string { return fmt.Sprintf("task %q, arm %q", task, arm) }
