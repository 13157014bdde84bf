// Package engine defines the contract of collaborative pure exploration in kernel bandits: the Algorithm interface, the loop that runs
// one, and the results.
//
// V agents each have a task and their own arms. Pulling arm i costs one sample and returns its expected reward plus noise. Every agent
// must find the best arm of its task. Measurements of one agent inform the others through the product kernel k((z,x),(z',x')) =
// k_Z(z,z')·k_X(x,x') [Du23, Section 3].
//
// Read algorithm.go, batch.go, options.go, steps.go and result.go in this order. The other files each define one type that these use.
//
// The main types:
//
//	problem.Problem  tasks, arms, kernel, noise, and (in simulation) the true rewards
//	model.Model      a Problem with its kernel: features φ_i, precisions, designs
//	Algorithm        chooses pulls and answers: Plan → Learn → Done → Answers
//	Steps            drives one run step by step: next plan, amend, learn, outcome
//	Run              loops over Steps: passes plans to an Environment and its batches back
//	Result           plain data over one or many runs, with JSON in both directions
//	Warning          the kind and the numbers of a warning; its sentence is made on output
//
// Package algorithms lists the algorithms and states the guarantee of their answers. Their code is in internal packages; Algorithms 1 and
// 2 of the paper, line by line, are internal/elimination/cokernelfc.go and cokernelfb.go.
//
// # What is promised
//
// From v0.1.0 on, programs may rely on the packages kernels, engine, engine/problem, engine/algorithms, engine/question, engine/sim,
// engine/bounds, engine/fit, engine/plan, engine/answer, engine/campaign, engine/campaign/folder, dsl, report, report/figure,
// report/save, session and session/display. Changes of their exported names are listed in CHANGELOG. An algorithm of your own may also
// use engine/model and engine/design.
//
// The packages engine/belief, engine/gp, engine/cluster, engine/cluster/farm and engine/cluster/jetstream serve the command and the
// language and may change at any time. Packages that are used only inside engine are in engine/internal.
//
// # Errors
//
// Callers can distinguish ErrUnsuited, ErrUnknownMeans, ErrNoMisfit, ErrFixedPlans, ErrAddedDataUnused and ErrFixedQuestion by
// errors.Is. All other errors are for people: they name the round or the option, and what to give.
//
// # Units
//
// The paper assumes 1-sub-Gaussian noise. Rewards are therefore normalised: they are measured in units of the largest noise scale, or of
// Options.Unit. An arm with a smaller scale σ_i gets precision Unit²/σ_i² in the weighted least squares. "Normalised" always means these
// units. Answers, gaps and regrets are in the units of the data.
package engine
