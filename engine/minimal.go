package engine

import "github.com/gonb-cope/gonb-cope/engine/problem"

// Minimal is embedded in an algorithm of the caller's own, and answers for it what many have nothing to say of: no arm is
// eliminated, no condition of a guarantee failed, and the largest mean is the best.
type Minimal struct{}

// Eliminations implements Algorithm.
func (Minimal) Eliminations() []Elimination { return nil }

// Alive implements Algorithm.
func (Minimal) Alive() int { return 0 }

// Warnings implements Algorithm.
func (Minimal) Warnings() []Warning { return nil }

// Goal implements Algorithm.
func (Minimal) Goal() string { return problem.GoalMax }
