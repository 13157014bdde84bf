package budget

import (
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Rounds is in how many rounds a budget is spent.
const Rounds = 6

// By a posterior round 1 has a fifth of the budget, and the later ones share the rest equally. Of a budget below two
// pulls an arm round 1 has more: two fifths of it, or of the arms where these are fewer.
const first, early = 0.2, 0.4

// Purse is what is left of a budget. Options.Budget is a cap for each agent: in every round all have equal shares, up to
// one pull. Options.Total is a sum, which agents share unequally.
type Purse struct {
	problem *problem.Problem
	opt     engine.Options
	shares  []int // pulls of all agents, by round
	round   int   // how many are planned
	had     []int // V: pulls so far
}

// NewPurse returns the purse of a run by a posterior before its first round.
func NewPurse(p *problem.Problem, opt engine.Options) *Purse {
	remaining := float64(opt.Pulls(p.V()))
	return NewPurseOf(p, opt, max(1, int(first*remaining), int(early*min(remaining, float64(p.N())))))
}

// NewPurseOf returns a purse whose first rounds, except for the last, are meant to have these pulls.
func NewPurseOf(p *problem.Problem, opt engine.Options, exploring ...int) *Purse {
	b := &Purse{problem: p, opt: opt, had: make([]int, p.V())}
	remaining := opt.Pulls(p.V())
	among := max(1, opt.Parts(remaining, Rounds))
	for _, n := range exploring[:min(len(exploring), among-1)] {
		among--
		if n = opt.Part(n, remaining, among); n > 0 {
			b.shares, remaining = append(b.shares, n), remaining-n
		}
	}
	b.divide(remaining, among)
	return b
}

// divide plans the pulls of the given number of further rounds.
func (b *Purse) divide(remaining, among int) {
	for k := range among {
		n := b.opt.Part(remaining/(among-k), remaining, among-k-1)
		if remaining -= n; n > 0 {
			b.shares = append(b.shares, n)
		}
	}
}

// Shares returns the pulls of all rounds.
func (b *Purse) Shares() []int { return b.shares }

// Take returns the pulls of the coming round, whoever has them.
func (b *Purse) Take() int {
	b.round++
	return b.shares[b.round-1]
}

// Next returns the pulls of the coming round, and how many of them each task may have.
func (b *Purse) Next() (n int, room []int) {
	n = b.Take()
	if b.opt.Total > 0 {
		return n, slices.Repeat([]int{n}, len(b.had))
	}
	room = make([]int, len(b.had))
	sum, remaining := n+lists.Total(b.had), n
	tasks := len(room)
	for v := range room { // who has one pull more goes round from round to round
		room[v] = min(max(0, (sum+(v+b.round)%tasks)/tasks-b.had[v]), b.opt.Budget-b.had[v], remaining)
		room[v] = max(0, room[v])
		remaining -= room[v]
	}
	for v := range room { // where other pulls were made than planned
		more := max(0, min(remaining, b.opt.Budget-b.had[v]-room[v]))
		room[v] += more
		remaining -= more
	}
	return n - remaining, room
}

// Spend takes note of the pulls of a round.
func (b *Purse) Spend(counts []int) {
	for i, c := range counts {
		b.had[b.problem.TaskOf[i]] += c
	}
}

// Amend takes note that the round that is open has other pulls than planned, before they are spent: the later
// rounds share what is left then.
func (b *Purse) Amend(counts []int) {
	now, later := engine.PullsOf(counts), len(b.shares)-b.round
	b.shares = append(b.shares[:b.round-1:b.round-1], now)
	b.divide(max(0, b.Remaining()-now), later)
}

// Remaining returns the pulls that are not spent.
func (b *Purse) Remaining() int {
	return b.opt.Pulls(len(b.had)) - lists.Total(b.had)
}

// coverFrom is the budget in pulls an arm from which on Cover leaves no arm without a pull.
const coverFrom = 2

// Cover adds a pull of every arm that had none to a round, as far as tasks have room, which it takes off, and returns what is left of
// the n pulls of the round. Of a small budget that would take too much, and it adds none.
func (b *Purse) Cover(counts, had []int, n int, room []int) int {
	if b.opt.Pulls(len(b.had)) < coverFrom*b.problem.N() {
		return n
	}
	for v, order := range Order(b.problem, make([]int, len(b.had))) {
		for _, i := range order {
			if had[i] == 0 && min(n, room[v]) > 0 {
				counts[i]++
				room[v]--
				n--
			}
		}
	}
	return n
}

// Empty reports whether all rounds are planned.
func (b *Purse) Empty() bool { return b.round == len(b.shares) }

// Order returns the arms of each task in the order in which few pulls take them: an order of names that is drawn at random, the
// same in every run, in which each task begins where the one before ends when it takes so many arms. So different
// tasks try different arms. Tables are often in the order of their features.
func Order(p *problem.Problem, takes []int) [][]int {
	place := map[int]int{}
	for k, i := range rand.New(rand.NewPCG(0, 0)).Perm(p.N()) {
		if _, known := place[p.Arms.ID[i]]; !known {
			place[p.Arms.ID[i]] = k
		}
	}
	out := make([][]int, p.V())
	from := 0
	for v, set := range p.Groups() {
		set = slices.Clone(set)
		slices.SortStableFunc(set, func(i, j int) int { return place[p.Arms.ID[i]] - place[p.Arms.ID[j]] })
		at := from % len(set)
		out[v] = slices.Concat(set[at:], set[:at])
		from += takes[v]
	}
	return out
}

// Explore adds pulls of a round before any data: of each task the arms in the order of Order, one after another with the
// given number of pulls each, as often as it takes.
func Explore(counts []int, p *problem.Problem, n, each int, room []int) {
	part := make([]int, len(room))
	for v := range part {
		part[v] = min(room[v], (n+(v+1)%len(part))/len(part))
	}
	remaining := n - lists.Total(part)
	for v := range part { // where some tasks have less room
		more := min(remaining, room[v]-part[v])
		part[v] += more
		remaining -= more
	}
	takes := lists.Make(len(part), func(v int) int { return (part[v] + each - 1) / each })
	for v, order := range Order(p, takes) {
		whole, rest := part[v]/(each*len(order)), part[v]%(each*len(order))
		for _, i := range order {
			c := min(each, rest)
			counts[i] += whole*each + c
			rest -= c
		}
	}
}
