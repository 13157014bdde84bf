package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// ledger counts what a report does not show of the notebook (kind → count).
type ledger map[string]int

func (l ledger) add(kinds ...string) {
	for _, k := range kinds {
		l[k]++
	}
}

// cleaned adds what a cleaner dropped or changed to text.
func (l ledger) cleaned(k *markup.Cleaner) {
	l.add(k.Lost...)
	l.asWritten(k)
}

// asWritten adds the links that a cleaner changed to text, and texts that were too deep.
func (l ledger) asWritten(k *markup.Cleaner) {
	if k.Links > 0 {
		l[lostLink] += k.Links
	}
	if k.Plain {
		l.add(tooDeep)
	}
}

// lostLink is the kind of links to a file beside the notebook or to an attachment, which readers of the report do not
// have.
const lostLink = "link that does not lead to the web"

// sentence lists what is missing and how often, or returns "" if nothing is.
func (l ledger) sentence() string {
	maps.DeleteFunc(l, func(_ string, n int) bool { return n == 0 })
	if len(l) == 0 {
		return ""
	}
	parts := lists.Map(slices.Sorted(maps.Keys(l)), func(k string) string { return fmt.Sprintf("%s (%d)", k, l[k]) })
	return "Not in this report, or only as text: " + strings.Join(parts, ", ") + "."
}

// notes returns the sentences about omissions at the end of a report. It also passes them to opt.Notice.
func notes(nb *notebook.Notebook, h hiding, l ledger) []string {
	out := lists.Where([]string{h.sentence(nb), l.sentence()}, func(s string) bool { return s != "" })
	if h.opt.Notice != nil {
		for _, s := range out {
			h.opt.Notice(s)
		}
	}
	return out
}

// lostNote returns a paragraph that lists the kinds in lost, or nil if there are none.
func lostNote(lost []string) []*markup.Node {
	if len(lost) == 0 {
		return nil
	}
	slices.Sort(lost)
	text := "Not in this report, because it needs a running notebook or another place: " + strings.Join(slices.Compact(lost), ", ") + "."
	return []*markup.Node{markup.Element("p", []string{"class", "missing"}, markup.Text(text))}
}

// asText returns the note below an output that is shown only as text. kinds are its media types that need a running
// notebook.
func asText(kinds []string) string {
	return "Shown as text, because it needs a running notebook: " + strings.Join(kinds, ", ") + "."
}

// interactive returns the media types of an output that need a running notebook: widgets, charts drawn by scripts, sound
// and video.
func interactive(o notebook.Output) []string {
	return lists.Where(slices.Sorted(maps.Keys(o.Data)), func(media string) bool {
		return media != report.MediaType && (strings.HasPrefix(media, "application/vnd.") || strings.HasSuffix(media, "javascript") ||
			strings.HasPrefix(media, "video/") || strings.HasPrefix(media, "audio/"))
	})
}

// rawFormat returns the media type for which a raw cell is written, or "" if the cell has none.
func rawFormat(c *notebook.Cell) string {
	for _, key := range []string{"raw_mimetype", "format"} {
		if s := stringOf(c.Metadata[key]); s != "" {
			return s
		}
	}
	return ""
}

// rawKind returns the kind, for the ledger, of a raw cell that a report omits.
func rawKind(c *notebook.Cell, settings bool) string {
	if settings {
		return "settings in YAML"
	}
	return "raw cell for " + rawFormat(c)
}
