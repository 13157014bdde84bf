package cluster

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Memory is an Exchange within a process: for tests, for trials, and for agents and workers that are goroutines. Its contents are lost when
// the process ends. It is safe for concurrent use.
type Memory struct {
	// Patience replaces the constant of that name if it is not 0; set it before first use.
	Patience time.Duration

	mu    sync.Mutex           // guards all fields below
	facts []Fact               // of all runs, in the order of publication; Seq is the index plus 1
	at    map[address]int      // index into facts
	runs  []string             // those that have facts, in the order of their first
	files map[[2]string][]byte // by run and hash
	work  map[[2]string]*piece // by run and id, finished ones too
	order []*piece             // those that are not finished, in the order of the next handing out
	news  chan struct{}        // closed and replaced when a fact arrives, or there may be work
}

// address identifies a fact of the exchange.
type address struct {
	run   string // as Fact.Run
	round int    // as Fact.Round
	name  string // as Fact.Name
}

var _ Exchange = (*Memory)(nil)

// NewMemory returns an empty exchange.
func NewMemory() *Memory {
	return &Memory{at: map[address]int{}, files: map[[2]string][]byte{}, work: map[[2]string]*piece{}, news: make(chan struct{})}
}

// wake ends the waiting for news. It needs the lock. Whoever waits has taken the channel before it looked for news, so that none
// is missed.
func (m *Memory) wake() {
	close(m.news)
	m.news = make(chan struct{})
}

// alone runs do under the lock, also if ctx has ended, and returns ctx.Err().
func (m *Memory) alone(ctx context.Context, do func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
	return ctx.Err()
}

// Publish implements Facts. It compares under the lock that also adds, so that one of two at once is first.
func (m *Memory) Publish(ctx context.Context, f Fact) error {
	if err := CheckFact(f); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := address{f.Run, f.Round, f.Name}
	// as a server does, the same sender and the same body are a replay
	if i, ok := m.at[a]; ok {
		stands := m.facts[i]
		if bytes.Equal(stands.Body, f.Body) && stands.Sender == f.Sender {
			return nil
		}
		return &ConflictError{Said: f, Stands: stands.clone()}
	}
	// Seq counts from 1, as streams of a server do
	f.Seq = uint64(len(m.facts) + 1)
	m.at[a] = len(m.facts)
	m.facts = append(m.facts, f.clone())
	m.runs = lists.Add(m.runs, f.Run)
	m.wake()
	return nil
}

// clone returns the fact with a body of its own. A caller that has a fact cannot change the stored one.
func (f Fact) clone() Fact {
	f.Body = bytes.Clone(f.Body)
	return f
}

// Read implements Facts. Facts are given from copies, outside the lock: the loop may publish.
func (m *Memory) Read(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Fact{}, err)
			return
		}
		for next := 0; ; {
			m.mu.Lock()
			// facts that are there never change, so they are read without the lock
			facts, news := m.facts[next:len(m.facts):len(m.facts)], m.news
			m.mu.Unlock()
			next += len(facts)
			for _, f := range facts {
				if f.Run != run || len(names) > 0 && !slices.Contains(names, f.Name) {
					continue
				}
				if ctx.Err() != nil || !yield(f.clone(), nil) {
					return
				}
			}
			// news was taken together with the facts, and is closed already where one came meanwhile
			select {
			case <-news:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Find implements Facts. An address that no fact can have is an error.
func (m *Memory) Find(ctx context.Context, run string, round int, name string) (f Fact, ok bool, err error) {
	if err := CheckFact(Fact{Run: run, Round: round, Name: name}); err != nil {
		return Fact{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.at[address{run, round, name}]
	if !ok {
		return Fact{}, false, ctx.Err()
	}
	return m.facts[i].clone(), true, nil
}

// Keep implements Facts. The same content has the same hash, and is kept once.
func (m *Memory) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := CheckRun(run); err != nil {
		return "", err
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(content))
	return hash, m.alone(ctx, func() { m.files[[2]string{run, hash}] = bytes.Clone(content) })
}

// Fetch implements Facts. It returns a copy: the hash stays true for what is kept.
func (m *Memory) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[[2]string{run, hash}]
	if !ok {
		return nil, fmt.Errorf("run %s: file %s: %w", run, hash, ErrNoFile)
	}
	return bytes.Clone(content), ctx.Err()
}

// Runs implements Facts.
func (m *Memory) Runs(ctx context.Context) (runs []string, err error) {
	err = m.alone(ctx, func() { runs = slices.Clone(m.runs) })
	return runs, err
}

// Close implements Exchange. It does nothing: the exchange may be used by others.
func (m *Memory) Close() error { return nil }

// piece is a piece of work from its offer on: until Withdraw where that comes, else until the end of the exchange.
type piece struct {
	work     Work      // never changed after Offer
	attempts int       // handings out so far
	holder   int       // the attempt that has it, 0 for none
	until    time.Time // its patience, by the monotonic clock
	removed  bool      // finished or withdrawn
}

// drop takes a piece out of the queue for ever. Its id stays in work, so that it cannot be offered again; only Withdraw forgets it.
func (m *Memory) drop(p *piece) {
	p.removed = true
	m.order = slices.DeleteFunc(m.order, func(o *piece) bool { return o == p })
}

// next returns a piece without a holder, or the time until the earliest patience ends; negative if there is none. Pieces come in the order
// in which they were offered or put back. If the duration is negative, only news can bring work. It needs the lock.
func (m *Memory) next(now time.Time, runs []string) (*piece, time.Duration) {
	wait := time.Duration(-1)
	for _, p := range m.order {
		if len(runs) > 0 && !slices.Contains(runs, p.work.Run) {
			continue
		}
		remaining := p.until.Sub(now)
		// it has no holder, or its holder has given no sign of life for too long
		if p.holder == 0 || remaining <= 0 {
			return p, 0
		}
		if wait < 0 || remaining < wait {
			wait = remaining
		}
	}
	return nil, wait
}

// Offer implements Exchange. A piece that was offered before is left unchanged, whatever its body.
func (m *Memory) Offer(ctx context.Context, run string, w Work) error {
	w.Run = run
	if err := CheckWork(w); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if key := [2]string{run, w.ID}; m.work[key] == nil && ctx.Err() == nil {
		// the caller may use its bytes again
		w.Body = bytes.Clone(w.Body)
		m.work[key] = &piece{work: w}
		m.order = append(m.order, m.work[key])
		m.wake()
	}
	return ctx.Err()
}

// Take implements Exchange. A piece is handed out again where its patience is over. The attempt is then another holder, and
// words of the former one do nothing, except for Done.
func (m *Memory) Take(ctx context.Context, runs ...string) (Taken, error) {
	if err := lists.Each(runs, CheckRun); err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.mu.Lock()
		p, wait := m.next(time.Now(), runs)
		if p != nil {
			// the piece stays in the order while it has a holder, so that next sees its patience
			p.attempts++
			p.holder = p.attempts
			p.until = time.Now().Add(cmp.Or(m.Patience, Patience))
			t := &taken{m, p, p.attempts}
			m.mu.Unlock()
			return t, nil
		}
		// taken under the lock, so that no news is missed
		news := m.news
		m.mu.Unlock()
		var end <-chan time.Time // of a holder's patience
		if wait >= 0 {
			end = time.After(wait)
		}
		select {
		case <-news:
		case <-end:
		case <-ctx.Done():
		}
	}
}

// Withdraw implements Exchange. The holder of a piece keeps its Taken, whose calls then change nothing in the queue.
func (m *Memory) Withdraw(ctx context.Context, run string) error {
	if err := CheckRun(run); err != nil {
		return err
	}
	return m.alone(ctx, func() {
		for key, p := range m.work {
			if key[0] == run {
				m.drop(p)
				delete(m.work, key)
			}
		}
	})
}

// taken is one handing out of a piece. It stays valid whatever becomes of the piece.
type taken struct {
	m       *Memory // the exchange
	p       *piece  // handed out
	attempt int     // number of this handing out, from 1
}

func (t *taken) Work() Work {
	w := t.p.work
	w.Body = bytes.Clone(w.Body)
	return w
}

func (t *taken) Attempt() int { return t.attempt }

// Alive implements Taken. It does nothing for a holder that has lost its piece.
func (t *taken) Alive(ctx context.Context) error {
	return t.m.alone(ctx, func() {
		if t.p.holder == t.attempt {
			t.p.until = time.Now().Add(cmp.Or(t.m.Patience, Patience))
		}
	})
}

// Done implements Taken. It counts from every holder, also from one that has lost the piece: the work is done.
func (t *taken) Done(ctx context.Context) error { return t.m.alone(ctx, func() { t.m.drop(t.p) }) }

// Back implements Taken. It does nothing if the piece belongs to another holder by now, or is gone.
func (t *taken) Back(ctx context.Context) error {
	return t.m.alone(ctx, func() {
		if t.p.holder == t.attempt && !t.p.removed {
			t.p.holder = 0
			t.m.drop(t.p) // to the end of the queue
			t.p.removed = false
			t.m.order = append(t.m.order, t.p)
			t.m.wake()
		}
	})
}
