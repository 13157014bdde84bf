package cluster

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A Puller makes the pulls of one agent: a program, people, or a simulation.
type Puller interface {
	// Pull makes pulls and tells what was measured, in as many parts as it likes. What was told is on
	// the disk when tell returns nil, and is never asked for again. Pull returns nil without having
	// told all where it wants to be asked for the rest.
	Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error
}

// Pulls holds the pulls of an agent that are left in a round.
type Pulls struct {
	Run       string
	Task      string
	Algorithm string      // its name
	Plan      engine.Plan // of all agents
	Arms      []ArmPulls  // those with pulls left, in arm order
	Problem   *problem.Problem
}

// ArmPulls holds the pulls of an arm that are left.
type ArmPulls struct {
	Arm   int // number in the problem, from 0
	Count int // pulls left, at least 1
	Made  int // pulls of the round that were told before
}

// Left returns the number of pulls that are left.
func (p Pulls) Left() int {
	sum := 0
	for _, a := range p.Arms {
		sum += a.Count
	}
	return sum
}

// pullsOf returns what is left of the pulls of arms lo ≤ i < hi.
func (j *journal) pullsOf(p *problem.Problem, plan engine.Plan, lo, hi int) Pulls {
	out := Pulls{Run: j.Run, Task: j.Task, Plan: plan, Problem: p}
	made := j.made(plan.Round, p.N())
	for i := lo; i < hi; i++ {
		if left := plan.Counts[i] - made[i]; left > 0 {
			out.Arms = append(out.Arms, ArmPulls{Arm: i, Count: left, Made: made[i]})
		}
	}
	return out
}

// tell takes in rewards of the open round: all of them, or none and an error.
func (j *journal) tell(p *problem.Problem, plan engine.Plan, lo, hi int, rewards ...Reward) error {
	made := j.made(plan.Round, p.N())
	for _, r := range rewards {
		if r.Arm < lo || r.Arm >= hi {
			return fmt.Errorf("arm %d is not of task %q", r.Arm+1, j.Task)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("arm %q: %w", p.Arms.Names[r.Arm], err)
		}
		if left := plan.Counts[r.Arm] - made[r.Arm]; r.Count > left { // a sum could overflow
			return fmt.Errorf("arm %q: %s, but %s left in round %d", p.Arms.Names[r.Arm], count(r.Count, "reward"), pulls(left), plan.Round)
		}
		made[r.Arm] += r.Count
	}
	return j.add(plan.Round, rewards...)
}

// Simulated draws rewards from an environment, and takes its own arms from what all agents would draw.
type Simulated struct{ Environment engine.Environment }

// Pull implements Puller. It makes a round at once, so that a half round has nothing of it.
func (s Simulated) Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error {
	b, err := s.Environment.Pull(ctx, p.Plan)
	if err != nil {
		return err
	}
	var all []Reward
	for _, a := range p.Arms {
		r := Reward{Arm: a.Arm, Count: a.Count, Mean: b.Means[a.Arm]}
		if b.Squares != nil {
			r.Squares = b.Squares[a.Arm]
		}
		if b.Ranges != nil {
			r.Range = &b.Ranges[a.Arm]
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil
	}
	return tell(all...)
}
