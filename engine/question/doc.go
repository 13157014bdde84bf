// Package question asks which arms are best, of somebody who measures: it is the way into the engine for programs that
// have measurements of their own.
//
//	q := question.Question{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05}}
//	run, err := q.Begin(ctx, nil)
//	for {
//		plan, more, err := run.Next(ctx)    // how often to measure each arm now
//		if err != nil || !more {
//			break
//		}
//		err = run.Learn(ctx, measured(plan)) // counts and means, as they were measured
//	}
//	result, err := run.Result()
//
// Campaigns and agents that are apart ask in the same way; a campaign also keeps what was measured (engine/campaign/folder).
// Whoever has expected rewards and wants to know how a method would do simulates it (engine/sim).
package question
