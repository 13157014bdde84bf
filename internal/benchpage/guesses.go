package benchpage

import (
	"errors"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// guesses counts each person's unknown IDs. A preview states whether an ID was handed out, so a person could otherwise
// find others' IDs by trying.
type guesses struct {
	mu  sync.Mutex
	byP map[string]*tried // person → count
}

// tried is the number of unknown IDs that a person has sent since a time.
type tried struct {
	since time.Time
	n     int
}

// A person may send mostGuesses unknown IDs within guessesIn. There are 10⁹ possible IDs. With a thousand guesses per
// hour, a person finds one of a thousand pulls once in a thousand hours.
const (
	mostGuesses = 10 * campaign.MostUnknown
	guessesIn   = time.Hour
)

// errTooMany is the message to a person who has sent too many unknown IDs.
const errTooMany = "your sheets had too many unknown ids within an hour. Store results from your list, and try sheets later"

// may reports whether a person may send more IDs.
func (g *guesses) may(by string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.byP[by]
	return c == nil || c.n < mostGuesses || now.Sub(c.since) > guessesIn
}

// add counts n unknown IDs of a person.
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

// unknown returns the number of unknown IDs in a sheet, from the result of recording it.
func unknown(r campaign.Receipt, err error) int {
	if errors.Is(err, campaign.ErrGuesses) {
		return campaign.MostUnknown
	}
	return r.Counts[campaign.RowUnknown]
}
