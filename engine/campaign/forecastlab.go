package campaign

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Where a protocol has a capacity and says nothing of failed and late results, each run of a forecast
// draws its shares evenly from 0 to these.
const (
	mostFailed = 0.2
	mostLate   = 0.3
)

// DefaultDelay is the most units of time that late results are late, where nobody stated it.
const DefaultDelay = 5

// losses says what happens to pulls on the way.
type losses struct {
	failed, late float64 // shares of pulls that give no result, and whose result comes late
	delay        int     // the most units of time by which
	rng          *rand.Rand
}

// lossesOf returns the losses of a run. Without a capacity there is no calendar, and they are none.
func (p Protocol) lossesOf(run int) losses {
	l := losses{delay: p.Delay, rng: rand.New(rand.NewPCG(0x6c6f7373, uint64(run)))} // "loss"
	if l.delay == 0 {
		l.delay = DefaultDelay
	}
	if p.Capacity == 0 {
		return l
	}
	share := func(stated *float64, most float64) float64 {
		if x := most * l.rng.Float64(); stated == nil {
			return x
		}
		return *stated
	}
	l.failed, l.late = share(p.Failed, mostFailed), share(p.Late, mostLate)
	return l
}

// wholeRound returns the units of time until a round has all its results: every unit hands out what was
// not handed out yet or failed, as much as the capacity allows, and the round waits for the last.
func (l losses) wholeRound(pulls, capacity int) float64 {
	if capacity <= 0 {
		return 1
	}
	over := 0
	for day, left := 0, pulls; left > 0; day++ {
		for range min(left, capacity) {
			switch x := l.rng.Float64(); {
			case x < l.failed:
			case x < l.failed+l.late:
				left, over = left-1, max(over, day+1+1+l.rng.IntN(l.delay))
			default:
				left, over = left-1, max(over, day+1)
			}
		}
	}
	return float64(over)
}

// cutRound splits a round of a day and of some days more, as evenly over them as comes by chance: what comes in time, and
// what comes late, by the day.
func (l losses) cutRound(counts []int, day, days int) (inTime []int, late map[int][]int) {
	inTime, late = make([]int, len(counts)), map[int][]int{}
	for i, n := range counts {
		for range n {
			switch x := l.rng.Float64(); {
			case x < l.failed:
			case x < l.failed+l.late:
				due := day + 2 + l.rng.IntN(l.delay)
				if days > 1 {
					due += l.rng.IntN(days)
				}
				if late[due] == nil {
					late[due] = make([]int, len(counts))
				}
				late[due][i]++
			default:
				inTime[i]++
			}
		}
	}
	return inTime, late
}

// forecastStep is the part of the units of time so far by which a simulated campaign goes on at once.
const forecastStep = 1. / 32

// coarseStep is that part where runs take long: it makes a third of the rounds.
const coarseStep = 1. / 8

// step returns the part for this protocol.
func (p Protocol) step() float64 {
	if many(p.Problem) {
		return coarseStep
	}
	return forecastStep
}

// calendar makes the rounds of a campaign that are cut to its capacity, one in a unit of time: what comes
// late counts with the round whose results come at the same time, which is the same to a posterior, and
// failed pulls are planned again if they are still of use. Rounds of the units that are a share step of those so
// far are simulated as one, which to a posterior costs little and makes long campaigns cheap; 0 makes each by
// itself. It returns what the run took.
func (p Protocol) calendar(ctx context.Context, steps *engine.Steps, env engine.Environment, l losses, step float64) (need, error) {
	var n need
	awaited := map[int][]int{} // by the day on which they come
	for day := 0; day < forecastLooks; {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		next, more, err := steps.Next()
		if err != nil || !more {
			return n, err
		}
		days := max(1, int(float64(day)*step))
		planned := cut(next.Counts, p.Capacity*days, uint64(next.Round))
		days = max(1, int(math.Ceil(float64(engine.PullsOf(planned))/float64(p.Capacity))))
		counts, late := l.cutRound(planned, day, days)
		for due, more := range late {
			awaited[due] = plus(awaited[due], more)
		}
		for range days {
			day++
			counts = plus(counts, awaited[day])
			delete(awaited, day)
		}
		if err := steps.Amend(counts); err != nil {
			return n, err
		}
		next.Counts = counts
		b, err := env.Pull(ctx, next)
		if err != nil {
			return n, err
		}
		if err := steps.Learn(b); err != nil {
			return n, err
		}
		n.samples += float64(next.Pulls())
		n.rounds += float64(days)
		n.time = float64(day)
	}
	return n, nil
}

// plus adds counts; either may be nil.
func plus(a, b []int) []int {
	if a == nil || b == nil {
		return slices.Concat(a, b)
	}
	out := slices.Clone(a)
	for i, n := range b {
		out[i] += n
	}
	return out
}

// checkLosses reports shares that are none.
func (p Protocol) checkLosses() error {
	for name, x := range map[string]*float64{"failed": p.Failed, "late": p.Late} {
		if x != nil && !(*x >= 0 && *x < 1) {
			return fmt.Errorf("%s must be a share of pulls from 0 to below 1, got %g", name, *x)
		}
	}
	if p.Failed != nil && p.Late != nil && *p.Failed+*p.Late >= 1 {
		return fmt.Errorf("failed and late must be less than 1 together, got %g and %g", *p.Failed, *p.Late)
	}
	if p.Delay < 0 || p.Delay > math.MaxInt16 {
		return fmt.Errorf("delay must be at least 1 of the %s, got %d", p.Unit(), p.Delay)
	}
	return nil
}
