// Package plan says, before anything is sampled, what a run of fixed confidence will need: rounds,
// samples, communication, cost and calendar time, for each method; and what changes with delta,
// epsilon and the tasks.
//
// A forecast is a simulation. Its rewards are the expected ones of the problem where they are
// known. Where they are not, or another gap is asked for, they are the least favourable
// configuration that the kernel can represent (see scenario.go): rewards that are as hard as the gap
// allows.
//
//	problem, Question ─Of─▶ Forecast        one row per method and gap
//	problem, Question ─WhatIf─▶ Comparison  one row per change, beside the baseline
package plan
