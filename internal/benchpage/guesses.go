package benchpage

import (
	"errors"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// A preview reports whether an id was handed out. guesses counts each person's ids that were not, so that a person
// cannot find others' ids by trying.
type guesses struct {
	mu  sync.Mutex
	byP map[string]*tried // by person
}

// tried counts the unknown ids that a person has named since a time.
type tried struct {
	since time.Time
	n     int
}

// A person may name mostGuesses unknown ids within guessesIn. There are 10^9 possible ids. A thousand guesses an hour hit one of a thousand
// pulls once in a thousand hours.
const (
	mostGuesses = 10 * campaign.MostUnknown
	guessesIn   = time.Hour
)

// errTooMany is the answer to a person who has named too many unknown ids.
const errTooMany = "your sheets had too many unknown ids within an hour. Store results from your list, and try sheets later"

// may reports whether a person may name further ids.
func (g *guesses) may(by string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.byP[by]
	return c == nil || c.n < mostGuesses || now.Sub(c.since) > guessesIn
}

// add counts unknown ids.
func (g *guesses) add(by string, now time.Time, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byP == nil {
		g.byP = map[string]*tried{}
	}
	c := g.byP[by]
	if c == nil || now.Sub(c.since) > guessesIn {
		c = &tried{since: now}
		g.byP[by] = c
	}
	c.n += n
}

// unknown returns the number of unknown ids of a sheet.
func unknown(r campaign.Receipt, err error) int {
	if errors.Is(err, campaign.ErrGuesses) {
		return campaign.MostUnknown
	}
	return r.Counts[campaign.RowUnknown]
}
