// Package engine defines the contract of collaborative pure exploration in kernel bandits: what an
// algorithm is, the loop that runs one, and the results.
//
// V agents each have a task and their own arms. Pulling arm i costs one sample
// and returns its expected reward plus noise; every agent must find the best
// arm of its task. What one agent sees tells the others something through the
// product kernel k((z,x),(z',x')) = k_Z(z,z')·k_X(x,x') [Du23, Section 3].
//
// Read algorithm.go, batch.go, options.go, steps.go and result.go in this order;
// every other file holds one thing that is needed later.
//
// The way through the packages:
//
//	problem.Problem  tasks, arms, kernel, noise, and (in simulation) the true rewards
//	model.Model      a Problem bound to its kernel: features φ_i, precisions, designs
//	Algorithm        decides: Plan → Learn → Done → Answers; it never samples or times
//	Steps            drives one run from outside: next plan, amend, learn, outcome
//	Run              the loop over Steps: it carries plans to an Environment and batches back
//	Result           plain data over one or many runs, JSON both ways
//	Warning          a fact that a reader must not overlook; its sentence is written at the end
//
// Package algorithms lists the algorithms, and says what backs their answers. Their code is
// under internal: Algorithms 1 and 2 of the paper, line by line, are
// internal/elimination/cokernelfc.go and cokernelfb.go.
//
// # What is promised
//
// From v0.1.0 on, programs may rely on the packages kernels, engine, engine/problem, engine/algorithms, engine/question,
// engine/sim, engine/bounds, engine/fit, engine/plan, engine/answer, engine/campaign, engine/campaign/folder, dsl, report,
// report/figure, report/save, session and session/display: what they export changes only with a line in CHANGELOG. An algorithm
// of one's own may also use engine/model and engine/design.
//
// The packages engine/belief, engine/cluster, engine/cluster/farm and engine/cluster/jetstream are there for the command and the
// language, and nothing of them is promised. What no package outside of engine needs is under engine/internal.
//
// # Units
//
// The paper assumes noise that is 1-sub-Gaussian. Rewards are therefore measured in units of the
// largest noise scale (Options.Unit overrides it), and an arm with a smaller scale σ_i gets
// precision Unit²/σ_i² in the weighted least squares. Everything called normalised is in these
// units; Answers, gaps and regrets are reported in the units of the data.
package engine
