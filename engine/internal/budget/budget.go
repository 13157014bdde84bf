package budget

import (
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Rounds is the default number of rounds of a budget.
const Rounds = 6

// Constants of round 1 of posterior methods; later rounds share the rest equally. Round 1 gets a fifth of the budget.
// If 40 % of the budget or of the number of arms, whichever is smaller, is more than that, it gets this number.
const first, early = 0.2, 0.4

// Purse distributes a budget over rounds, and counts the unspent pulls. Options.Budget is a limit per agent: in every
// round all agents get equal shares, up to one pull. Options.Total is a sum that agents share unequally.
type Purse struct {
	problem *problem.Problem
	opt     engine.Options
	shares  []int // total pulls of all agents, one element per round
	round   int   // number of planned rounds
	had     []int // V: pulls so far
}

// NewPurse returns the purse of a posterior method before its first round.
func NewPurse(p *problem.Problem, opt engine.Options) *Purse {
	remaining := float64(opt.Pulls(p.V()))
	return NewPurseOf(p, opt, max(1, int(first*remaining), int(early*min(remaining, float64(p.N())))))
}

// NewPurseOf returns a purse whose first rounds have the given total pulls. The last round always gets the rest, so
// numbers for it are ignored.
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

// divide plans among further rounds that share the remaining pulls.
func (b *Purse) divide(remaining, among int) {
	for k := range among {
		n := b.opt.Part(remaining/(among-k), remaining, among-k-1)
		if remaining -= n; n > 0 {
			b.shares = append(b.shares, n)
		}
	}
}

// Shares returns the total pulls of all rounds.
func (b *Purse) Shares() []int { return b.shares }

// Take begins the next round, and returns its total pulls.
func (b *Purse) Take() int {
	b.round++
	return b.shares[b.round-1]
}

// Next begins the next round. It returns the round's total pulls n, and the largest number of pulls of each task. With
// Options.Total every task may take all n pulls.
func (b *Purse) Next() (n int, room []int) {
	n = b.Take()
	if b.opt.Total > 0 {
		return n, slices.Repeat([]int{n}, len(b.had))
	}
	room = make([]int, len(b.had))
	sum, remaining := n+lists.Total(b.had), n
	tasks := len(room)
	for v := range room { // the task with an extra pull rotates from round to round
		room[v] = min(max(0, (sum+(v+b.round)%tasks)/tasks-b.had[v]), b.opt.Budget-b.had[v], remaining)
		room[v] = max(0, room[v])
		remaining -= room[v]
	}
	for v := range room { // if the pulls made differ from the plan
		more := max(0, min(remaining, b.opt.Budget-b.had[v]-room[v]))
		room[v] += more
		remaining -= more
	}
	return n - remaining, room
}

// Spend records the pulls that a round has made.
func (b *Purse) Spend(counts []int) {
	for i, c := range counts {
		b.had[b.problem.TaskOf[i]] += c
	}
}

// Amend replaces the pulls of the planned round. It must be called before Spend. Later rounds share the new rest of the
// budget.
func (b *Purse) Amend(counts []int) {
	now, later := engine.PullsOf(counts), len(b.shares)-b.round
	b.shares = append(b.shares[:b.round-1:b.round-1], now)
	b.divide(max(0, b.Remaining()-now), later)
}

// Remaining returns the number of unspent pulls.
func (b *Purse) Remaining() int {
	return b.opt.Pulls(len(b.had)) - lists.Total(b.had)
}

// coverFrom is the smallest budget, in pulls per arm, with which Cover adds pulls.
const coverFrom = 2

// Cover adds one pull to counts for every unmeasured arm (had[i] = 0), as long as n and room allow. It reduces room, and
// returns the rest of the n pulls. With a budget below coverFrom it adds none.
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

// Empty reports whether all rounds have been taken.
func (b *Purse) Empty() bool { return b.round == len(b.shares) }

// Order returns the arms of each task in the order in which they are first pulled. This is a fixed random order of names.
// Task v+1 starts takes[v] arms after the start of task v. Different tasks thus try different arms, even if the table is
// sorted by features.
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

// Explore adds the n pulls of a round without earlier data to counts. The agents share them equally, up to their limits
// in room. An agent takes its arms in the order of Order, makes the given number of consecutive pulls (each) of one
// arm, and begins again after the last arm.
func Explore(counts []int, p *problem.Problem, n, each int, room []int) {
	part := make([]int, len(room))
	for v := range part {
		part[v] = min(room[v], (n+(v+1)%len(part))/len(part))
	}
	remaining := n - lists.Total(part)
	for v := range part { // if some tasks have less room
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
