// Package engine defines collaborative pure exploration in kernel bandits: the Algorithm interface, the loop that runs an
// algorithm, and the results.
//
// There are V agents, each with a task and its own arms. A pull of arm i returns its expected reward plus noise. Every agent
// must find the best arm of its task. Measurements of one agent are informative about the arms of others through the product
// kernel k((z,x),(z',x')) = k_Z(z,z')·k_X(x,x') [Du23, Section 3].
//
// Read algorithm.go, batch.go, options.go, steps.go and result.go in this order. The other files hold the types that these use.
//
// The main types:
//
//	problem.Problem  tasks, arms, kernel, noise, and (in simulation) the true rewards
//	model.Model      a Problem with its kernel: features φ_i, precisions, designs
//	Algorithm        chooses pulls and recommends arms: Plan → Learn → Done; State has the answers
//	Steps            drives one run step by step: next plan, amend, learn, outcome
//	Run              loops over Steps: passes plans to an Environment and its batches back
//	Result           data of one or many runs; written to and read from JSON
//	Warning          a kind and its numbers; String returns the sentence
//
// Package algorithms lists the algorithms and states the guarantee of their answers. The algorithms are in internal packages;
// engine/internal/elimination/cokernelfc.go and cokernelfb.go follow Algorithms 1 and 2 of the paper line by line.
//
// # What is promised
//
// From v0.1.0 on, programs may rely on all exported names of the packages kernels, engine/question, engine/answer,
// engine/campaign/folder, session and session/display, and on the following names, with the exported fields of their
// types:
//
//	engine             Algorithm Environment Plan Batch Side Within State Options Ridge Run BatchOf PlanOfSets StateOfSets CountsOf
//	                   Result Answer Interval Warning Status StatusDecided StandingProven StandingHeuristic StandingNone
//	                   ModeFC ModeFB
//	engine/problem     Problem New Load LoadOptions Long Block NoiseModel Classic PaperCase PaperFamily GoalMax GoalMin
//	engine/algorithms  All Named Entry
//	engine/sim         Run Experiment Func Drawer Sweep Compare Comparisons SpeedupOf Speedup
//	engine/bounds      Compute Report MisfitOf Misfit
//	engine/fit         Of Fit Options
//	engine/plan        Of Forecast Question
//	engine/campaign    Act Tell TellOptions Receipt Request Status History Protocol
//	dsl                NewSession Session Options Parse Script Error MakeProtocol ReadProtocol
//	report             Text HTML LaTeX Markdown JSON CSV Document Display Table Column Figure
//	report/figure      Figure Series SVG PDF PNG
//	report/save        File Document Formats
//
// Changes of these names are listed in CHANGELOG. All other names may change at any time: those of engine/model and
// engine/design, which a user-defined algorithm may use; of engine/belief, engine/gp, engine/campaign/record, engine/cluster,
// engine/cluster/jetstream and of all packages in notebook. Packages that are used only inside engine are in engine/internal.
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
// scale, or of Options.Unit. In weighted least squares, arm i has the weight Unit²/σ_i².
// "Normalised" always means these units. Answers, gaps and regrets are in the units of the data.
//
// [Du23]: Y. Du, W. Chen, Y. Kuroki, L. Huang, Collaborative Pure Exploration in Kernel Bandit, ICLR 2023, arXiv:2110.15771v4.
package engine
