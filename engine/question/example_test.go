package question_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// yields is a table of two tasks with two arms each. Under its kernel, the two tasks share the effect of the arm.
func yields() *problem.Problem {
	joint, err := kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.RBF{Lengthscale: []float64{20}}))
	if err != nil {
		log.Fatal(err)
	}
	table := "task,arm,x_temperature,mean\noak,cold,10,3\noak,warm,40,8\nelm,cold,10,6\nelm,warm,40,1\n"
	p, err := problem.Load("yields.csv", joint, problem.LoadOptions{
		Goal: problem.GoalMax, Noise: problem.NoiseModel{Scales: []float64{2}}, Read: func(string) ([]byte, error) { return []byte(table), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// Simulate a method on a table with known truth: error rate and number of samples.
func Example_simulate() {
	r, err := sim.Run(context.Background(), sim.Experiment{
		Problem: yields(), Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05, Norm: 10}, Runs: 20, Seed: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d runs wrong; %s\n", r.Errors.Count, r.Runs, r.Answers[0].Arm)
	// Output: 0 of 20 runs wrong; warm
}

// measured plays the laboratory: it measures every arm as often as the plan says.
func measured(p *problem.Problem, plan engine.Plan) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N())}
	if plan.WantSquares {
		b.Squares = make([]float64, p.N())
	}
	for i, n := range plan.Counts {
		if n > 0 {
			b.Means[i] = p.Mean[i]
		}
	}
	return b
}

// A program with measurements of its own asks for a plan and passes the rewards back.
func ExampleQuestion_Begin() {
	p, ctx := yields(), context.Background()
	q := question.Question{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05}}
	run, err := q.Begin(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for {
		plan, more, err := run.Next(ctx) // counts by arm
		if err != nil {
			log.Fatal(err)
		}
		if !more {
			break
		}
		if err := run.Learn(ctx, measured(p, plan)); err != nil {
			log.Fatal(err)
		}
	}
	result, err := run.Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Answers[0].Arm, result.Answers[1].Arm, result.Standing)
	// Output: warm cold proven
}

// largest pulls every arm ten times and recommends the largest mean of each task.
type largest struct {
	p     *problem.Problem
	means []float64
}

func (a *largest) Plan(context.Context) (engine.Plan, error) {
	counts := make([]int, a.p.N())
	for i := range counts {
		counts[i] = 10
	}
	return engine.Plan{Round: 1, Counts: counts}, nil
}

func (a *largest) Learn(_ context.Context, b engine.Batch) error { a.means = b.Means; return nil }

func (a *largest) Done() bool { return a.means != nil }

func (a *largest) State() engine.State {
	var s engine.State
	for v := range a.p.V() {
		lo, hi := a.p.ArmsOf(v)
		best := lo
		for i := lo; i < hi && a.means != nil; i++ {
			if a.means[i] > a.means[best] {
				best = i
			}
		}
		s.Answers = append(s.Answers, engine.Answer{Leader: a.p.Arms.Names[best], Decided: a.means != nil})
	}
	return s
}

// An algorithm of your own runs in the same simulation as those of the catalogue.
func Example_own() {
	own := &algorithms.Entry{Name: "Largest", Regression: algorithms.RegressionMeans, New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
		return &largest{p: m.Problem}, nil
	}}
	r, err := sim.Run(context.Background(), sim.Experiment{Problem: yields(), Mode: engine.ModeFC, Own: own, Runs: 100, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d of %d runs wrong with %g samples per agent\n", r.Algorithm, r.Errors.Count, r.Runs, r.SamplesPerAgent.Mean)
	// Output: Largest: 0 of 100 runs wrong with 20 samples per agent
}
