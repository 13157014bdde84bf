// Package engine defines collaborative pure exploration in kernel bandits: the Algorithm interface, the loop that runs an
// algorithm, and the results.
//
// There are V agents, each with a task and its own arms. A pull of arm i costs one sample and returns the arm's expected reward
// plus noise. Every agent must find the best arm of its task. Measurements of one agent are informative about the arms of others
// through the product kernel k((z,x),(z',x')) = k_Z(z,z')·k_X(x,x') [Du23, Section 3].
//
// Read algorithm.go, batch.go, options.go, steps.go and result.go in this order. The other files hold the types that these use.
//
// The main types:
//
//	problem.Problem  tasks, arms, kernel, noise, and (in simulation) the true rewards
//	model.Model      a Problem with its kernel: features φ_i, precisions, designs
//	Algorithm        chooses pulls and answers: Plan → Learn → Done → Answers
//	Steps            drives one run step by step: next plan, amend, learn, outcome
//	Run              loops over Steps: passes plans to an Environment and its batches back
//	Result           data of one or many runs; written to and read from JSON
//	Warning          kind and numbers of a warning; its String makes the sentence
//
// Package algorithms lists the algorithms and states the guarantee of their answers. The algorithms are in internal packages;
// engine/internal/elimination/cokernelfc.go and cokernelfb.go follow Algorithms 1 and 2 of the paper line by line.
//
// # What is promised
//
// From v0.1.0 on, programs may rely on the packages kernels, engine, engine/problem, engine/algorithms, engine/question,
// engine/sim, engine/bounds, engine/fit, engine/plan, engine/answer, engine/campaign, engine/campaign/folder, dsl, report,
// report/figure, report/save, session and session/display. Changes of their exported names are listed in CHANGELOG. A
// user-defined algorithm may also use engine/model and engine/design.
//
// The packages engine/belief, engine/gp, engine/campaign/record, engine/cluster, engine/cluster/jetstream and all in notebook serve the
// command and the language and may change at any time. Packages that are used only inside engine are in engine/internal.
//
// # Errors
//
// Callers can distinguish ErrUnsuited, ErrUnknownMeans, ErrNoMisfit, ErrFixedPlans, ErrAddedDataUnused and ErrFixedQuestion by
// errors.Is, and LimitError by errors.As. Packages question and answer have errors of their own. Other errors are for human readers: they
// state the round or the option, and a valid value.
//
// # Units
//
// The paper assumes 1-sub-Gaussian noise. Rewards are therefore normalised: they are measured in units of the largest noise
// scale, or of Options.Unit. An arm with a smaller scale σ_i gets precision Unit²/σ_i² in the weighted least squares.
// "Normalised" always means these units. Answers, gaps and regrets are in the units of the data.
package engine
