// Package question drives an algorithm while the caller takes the measurements. It is the entry point for programs with measurements of
// their own.
//
//	q := question.Question{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05}}
//	run, err := q.Begin(ctx, nil)
//	for {
//		plan, more, err := run.Next(ctx) // how often to measure each arm now
//		if err != nil {
//			return err
//		}
//		if !more {
//			break
//		}
//		if err := run.Learn(ctx, measured(plan)); err != nil { // measured: your function, see below
//			return err
//		}
//	}
//	result, err := run.Result()
//
// Example (Simulate), Example (Own) and the example of Question.Begin, in example_test.go, are complete programs.
//
// A batch has N counts and N means, in the order of the arms, in reward units and with the sign of the data. If the plan asks for squares
// or ranges (engine.Plan.WantSquares), engine.BatchOf computes them from single rewards.
//
// Campaigns and agents in a cluster use the same loop; a campaign also stores the measurements (engine/campaign/folder). To predict how a
// method performs on known expected rewards, simulate it (engine/sim).
package question
