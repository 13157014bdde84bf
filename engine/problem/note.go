package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Note states a fact that may surprise the user: an unusual way in which a file was read, or a property of the kernel on
// the points. String returns the sentence.
type Note struct {
	Kind    NoteKind
	Path    string    // path of the file that the note describes; "" for none
	Names   []string  // texts in the sentence, such as names of tasks, arms and columns; NoteKind lists them
	Numbers []float64 // numbers in the sentence; NoteKind lists them
}

// NoteKind is the kind of fact that a Note states. The comment at each constant lists the elements of Note.Names and
// Note.Numbers.
type NoteKind string

// The kinds of notes on files.
const (
	NoteLineSkipped  NoteKind = "line skipped"  // line 1 is not the header and was skipped
	NoteLinesSkipped NoteKind = "lines skipped" // numbers: how many lines above the header were skipped
	NoteSheets       NoteKind = "sheets"        // names: the sheets of the workbook that are not read
	NoteTwice        NoteKind = "twice"         // names: the name that several columns share, the new name of the second one
	// names: what the skipped rows contain; numbers: how many rows were skipped, the line of the first one
	NoteNoData        NoteKind = "no data"
	NoteRowNames      NoteKind = "row names"      // the rows have one cell more than the header; the first cell is the row's name
	NoteHeaderLines   NoteKind = "header lines"   // names: the first name made by joining two header lines
	NoteSeparator     NoteKind = "separator"      // names: the character that separates columns
	NoteDecimalCommas NoteKind = "decimal commas" // names: the character that separates columns
	NoteThousands     NoteKind = "thousands"      // names: the first number with a decimal point; numbers: the line of this number
	NoteGroups        NoteKind = "groups"         // names: the column, the first number in it with separated thousands
	NoteIgnored       NoteKind = "ignored"        // names: the columns that are not used
	NoteCategories    NoteKind = "categories"     // names: the column, then the categories in the order of their codes
	NoteIdentifiers   NoteKind = "identifiers"    // names: as for NoteCategories; the categories are whole numbers such as 007
	// names: the column, then the texts that were merged, one group after another; numbers: how many texts each group
	// has
	NoteEqual   NoteKind = "equal"   // the texts are equal as numbers, for example 12.1 and 12.10
	NoteRounded NoteKind = "rounded" // the numbers agree in 15 digits
	NoteWritten NoteKind = "written" // names and numbers: as for NoteEqual; the texts stay different names
	NoteAlike   NoteKind = "alike"   // names: the column, two names in it that differ only in capital letters, blanks or the like
	// names: the column, a name, the code of an invisible character in the name; numbers: the line of the name
	NoteUnseen NoteKind = "unseen"

	NoteNoReward NoteKind = "no reward" // names: the column of rewards; numbers: how many rows have no reward, the line of the last one
	// names and numbers: as for NoteFailed; another column states the failures
	NoteFailedStates NoteKind = "failed states"
	NoteFailed       NoteKind = "failed"    // names: the column, the texts in failed cells; numbers: all measurements, then failures by text
	NoteLimits       NoteKind = "limits"    // names: the column; numbers: how many values are below a limit, how many are above one
	NoteNotDrawn     NoteKind = "not drawn" // names: the column
	NoteNoOption     NoteKind = "no option" // names: the first removed options; numbers: how many options lost all rows, how many there are
	NoteTotals       NoteKind = "totals"    // names: the column, the value that looks like a total, the condition that leaves out its rows
	// names: the column of units or quantities, two values of this column, the column of rewards, the condition that
	// selects the first value
	NoteMixed NoteKind = "mixed"
	NoteSums  NoteKind = "sums" // names: the column of means, the column of counts
	// names: the column of rewards, the column of counts
	NoteSuccesses   NoteKind = "successes"
	NotePercentages NoteKind = "percentages" // names: as for NoteSuccesses
	// names: the column that states how runs ended, a text in this column, the column of rewards, the condition that
	// selects failed rows; numbers: how many rows with this text have a reward
	NoteEnded      NoteKind = "ended"
	NoteUnfinished NoteKind = "unfinished" // names: the column of states, the states of failed runs; numbers: rows with each state
	NotePending    NoteKind = "pending"    // the same for runs that may still finish
	// names: a list of lines and the lines that they repeat; numbers: how many rows repeat others and are left out, all
	// rows
	NoteCopies  NoteKind = "copies"
	NoteRepeats NoteKind = "repeats" // names and numbers: as for NoteCopies; repeated rows are kept
	// names and numbers: as for NoteRepeats; the rows differ only in digits or in columns that are not used
	NoteNearCopies NoteKind = "near copies"
	// names: task and arm of each of the first omitted arms; numbers: how many arms are left out, all arms
	NoteDropped NoteKind = "dropped"
	// names: task and arm of the first; numbers: how many arms are not measured, all arms
	NoteUnmeasured NoteKind = "unmeasured"
	// too few arms are measured to fit a kernel; numbers: all arms
	NoteCandidates NoteKind = "candidates"
	NoteInferred   NoteKind = "inferred"      // as for NoteUnmeasured; simulated runs use predicted rewards
	NoteOnce       NoteKind = "measured once" // names and numbers: as for NoteUnmeasured
	NotePooled     NoteKind = "pooled"        // names and numbers: as for NoteUnmeasured
	NoteNoNoise    NoteKind = "no noise"
	// names: the columns of arms; numbers: the largest number of combinations that a task has in the table, the number
	// of all combinations
	NoteCombinations NoteKind = "combinations"
	NoteTogether     NoteKind = "together"  // names: two columns of arms that always change together
	NoteNested       NoteKind = "nested"    // names: the columns of blocks whose labels occur at several tasks
	NoteBlocks       NoteKind = "blocks"    // names: the columns that state which measurements share an effect
	NoteRandom       NoteKind = "random"    // names: the columns of random effects
	NoteOneLevel     NoteKind = "one level" // names: a column of random effects, the only value in it
	NoteBent         NoteKind = "bent"      // numbers: the value that was added to the diagonal of a similarity matrix
)

// The kinds of notes on the kernel of a problem.
const (
	NoteCodes NoteKind = "codes" // names: the kernel, the column
	// names: the kernel, the column; numbers: the length scale, the range of the column (for NoteShortScale the smallest
	// step), the least and the greatest value, and for a scaled column these two values in the units of the data
	NoteLongScale  NoteKind = "long scale"
	NoteShortScale NoteKind = "short scale" // names and numbers: as for NoteLongScale

	NoteAdmitsAll NoteKind = "admits all" // numbers: how many arms have different features
	NoteUnrelated NoteKind = "unrelated"  // numbers: as for NoteAdmitsAll; the prior correlation of any two arms is 0
	// numbers: the accuracy; the effective rank of the kernel at this accuracy on a random sample of arms; an upper
	// bound of the rank on all arms; the size of the sample; the number of all arms; a small rank; the accuracy at which
	// the kernel has this small rank
	NoteRough NoteKind = "rough"
	// names: a smoother kernel; numbers: the effective rank of this kernel at the same accuracy
	NoteRoughKernel NoteKind = "rough: smoother kernel"
)

// noteSentences has the format of each sentence. Its verbs are replaced by the texts that Note.words returns, followed by
// Note.Numbers. A verb without an index uses the next argument.
var noteSentences = map[NoteKind]string{
	NoteLineSkipped:  "line 1, above the header, is skipped",
	NoteLinesSkipped: "lines 1 to %d, above the header, are skipped",
	NoteSheets:       "only one sheet of the workbook is read, not %s. To use another sheet, save it as a file",
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
	NoteFailedStates: `column %[1]q: %[2]s. If they were ` +
		`not tried, write failed="false" (--failed false)`,
	NoteFailed: "column %[1]q: %[2]s%[3]s",
	NoteLimits: "column %[1]q has limits instead of some values: %[2]s. The estimates use them as limits; tables of means show the limit " +
		"itself",
	NoteNotDrawn: "column %q: fc and fb cannot draw simulated rewards from these measurements, because values beyond a limit are " +
		"unknown. They use the noise scale instead",
	NoteNoOption: "where= removes all rows of %[2]d of %[3]d options: %[1]s",
	NoteTotals: `%[2]q in column %[1]q looks like a total or a mean of other rows, but counts as an option. ` +
		`If it is a total, leave it out: where=%[3]q (--where %[3]q)`,
	NoteMixed: `column %[1]q has several values in a task, such as %[2]q and %[3]q, and is not used. All values of %[4]q count ` +
		`as one quantity in one unit. If they are not, convert them, or choose: where=%[5]q (--where %[5]q)`,
	NoteSums: `column %[1]q grows with %[2]q as sums do, but is read as means. ` +
		`If it holds sums, write reward="col('%[1]s') / col('%[2]s')"`,
	NoteSuccesses: `all values of %[1]q are whole numbers from 0 to %[2]q. They are read as means. If they count successes, write ` +
		`successes=%[1]q, trials=%[2]q (--successes %[1]q --trials %[2]q) instead of reward and count`,
	NotePercentages: `the values of %[1]q are percentages of %[2]q, rounded to whole numbers. They are read as means. If they count ` +
		`successes, write a column of successes, and name it: successes=, trials=%[2]q (--successes, --trials %[2]q) instead of reward and count`,
	NoteEnded: `%[5]d of the measured rows have a text such as %[2]q in column %[1]q. Their values of %[3]q are used. If these rows failed, ` +
		`write failed=%[4]q (--failed %[4]q)`,
	NoteUnfinished: `column %[1]q: runs that did not finish count as failed, even with a value: %[2]s. To use their values, write ` +
		`failed="false" (--failed false)`,
	NotePending: `column %[1]q: runs that may still finish count as not measured, even with a value: %[2]s. To use their values, write ` +
		`failed="false" (--failed false)`,
	NoteCopies: "%[5]d of %[6]d rows %[2]s in every column and %[3]s once: %[1]s. They are probably copies. " +
		"If they are real measurements, add a column that distinguishes them, such as a row number",
	NoteNearCopies: "%[5]d of %[6]d rows %[2]s in option and value, though not in every column or digit: %[1]s. %[4]s",
	NoteRepeats:    "%[5]d of %[6]d rows %[2]s in every column: %[1]s. %[4]s",
	NoteDropped:    "%[2]d of %[3]d arms are not measured and are left out: %[1]s",
	NoteUnmeasured: `%[1]s not measured. fit and bounds use the others; fc and fb cannot simulate it. ` +
		`Measure it, or leave it out by unmeasured="drop"`,
	NoteCandidates: "too few options are measured to fit a kernel (options in the table: %d). A default kernel is used, " +
		"which CoBayesFB adapts during the run; kernel= states your own. protocol(...) and campaign start propose the first measurements",
	NoteInferred: `%[1]s not measured. Simulated runs draw expected rewards there from predictions by the other measurements, ` +
		`and fit and bounds use these. To leave such arms out, write unmeasured="drop"`,
	NoteOnce: "%[1]s measured once, so simulated rewards are drawn from the noise scale. Expected rewards include the noise of that " +
		"measurement. So the best of many such arms is partly lucky",
	NoteBent: "the matrix is not exactly positive semi-definite, maybe because its numbers are rounded. To repair it, %g is added to its " +
		"diagonal",
	NoteTogether: "%[1]q and %[2]q always change together in this table, so their effects cannot be told apart. If they are the same " +
		"quantity, leave one out",
	NoteCombinations: `%[2]d of %[3]d combinations of %[1]s are in the table. candidates="all" (--candidates all) considers the rest`,
	NoteNested: `the labels of %[1]s occur in several tasks. They count as different blocks in each task. If the labels of a ` +
		`column mean the same blocks in all tasks, write crossed=%[2]q (--crossed %[2]q) for that column`,
	NotePooled: "%[1]s without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks " +
		"if the task has none",
	NoteBlocks: `measurements of the same %[1]s share an effect. best removes this effect; algorithms treat it as noise. ` +
		`protocol(..., block=%[2]q) compares arms within the same %[2]s`,
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

// OfSimulation reports whether the note describes how rewards are simulated. Such a note does not concern answers that
// use only measured rewards.
func (n Note) OfSimulation() bool {
	return slices.Contains([]NoteKind{NoteUnmeasured, NoteInferred, NoteOnce, NotePooled, NoteBlocks, NoteRandom, NoteNotDrawn}, n.Kind)
}

// OfAnswers reports whether the note is a reason to doubt answers. Answers then show the note as a warning.
func (n Note) OfAnswers() bool {
	return slices.Contains([]NoteKind{NoteEqual, NoteCopies, NoteNearCopies, NoteTotals, NoteMixed, NoteSums, NoteSuccesses,
		NotePercentages, NoteEnded, NoteUnfinished, NotePending}, n.Kind)
}

// OfAlgorithms reports whether the note describes how some algorithms use the kernel or the noise. Results do not repeat
// these notes, because they have warnings about the algorithm that was used.
func (n Note) OfAlgorithms() bool {
	return slices.Contains([]NoteKind{NoteNoNoise, NoteAdmitsAll, NoteUnrelated}, n.Kind)
}

// String returns the sentence, without a full stop.
func (n Note) String() string { return NoteText(n) }

// Sentence returns the sentence without the path of the file.
func (n Note) Sentence() string {
	n.Path = ""
	return n.String()
}

// NoteText returns one sentence for one or more notes that have the same kind and names. A number that differs between
// the notes becomes a range. A kind without an entry in noteSentences is returned as the sentence.
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

// words returns the texts that replace the first verbs of the sentence.
func (n Note) words() []string {
	switch n.Kind {
	case NoteSeparator, NoteDecimalCommas:
		return []string{separators[n.name(0)]}
	case NoteIgnored, NoteCombinations, NoteRandom, NoteSheets:
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
	case NoteFailedStates:
		return []string{n.name(0), n.failedSentence()}
	case NoteFailed:
		rest := ""
		if len(n.Names) > 2 || n.name(1) != byCondition {
			rest = ". If the option was not tried, leave the cell empty. If such a text means 0, write 0"
		}
		return []string{n.name(0), n.failedSentence(), rest}
	case NoteUnfinished, NotePending:
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
		if count > len(arms) { // show a few examples only
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

// groups lists the groups of merged texts, for example "12.1 and 12.10; 13 and 13.0". A long list is cut.
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

// fewShown is the number of arms, or of codes of categories, that a sentence shows if there are too many to show all.
const fewShown = 3

// name and number return the element k of Names or Numbers, or the zero value if there is none.
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

// some names the first of the arms, states how many other arms there are, and adds the verb "is" or "are".
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

// where names an arm with its task, for example `task "a", arm "b"`.
func where(task, arm string) string { return fmt.Sprintf("task %q, arm %q", task, arm) }
