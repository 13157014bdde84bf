// Package session lets a Go cell of a notebook read and bind the names that %%cope cells share.
//
//	%%cope
//	joint = task(rbf(0.7)) * arm(linear())
//	p = problem("data/cn_coupling.csv", kernel=joint, noise="task")
//	r = fc(p, delta=0.05, runs=50)
//
// and then in a Go cell
//
//	import "github.com/gonb-cope/gonb-cope/session"
//
//	%%
//	r := session.Result("r")
//	fmt.Println(r.SamplesPerAgent.Mean, session.Kernel("joint"))
//	session.Put("longest", slices.Max(lengths))
//	session.Put("wave", func(x, y []float64) float64 { return math.Exp(-math.Abs(x[0] - y[0])) })
//
// A Go cell is a process that lasts as long as the cell. What it reads is a copy, and
// what it puts is one, so nothing that happens to a value here changes the session.
// Formulas of the session are evaluated by the kernel, a row at a time.
//
// # Kernels
//
// The language has two types that are called kernels, and so has Go. [Kernel] reads a
// joint kernel, which compares arms of tasks and is what a problem has; [PointKernel]
// reads a kernel of the points of one space, which task(...) and arm(...) take. Each
// says which one to call when it was the other.
//
// # Campaigns
//
// [Start], [Ask], [Tell], [Attach], [Fail], [Correct], [CloseRound] and [Amend] are the acts that scripts have. The
// kernel does them, so that they are the same events with the same refusals, and done again they change
// nothing. A program that the kernel runs again for a function of [Put] gets the first answers; nothing is
// recorded twice. [Act] is all of them with an error instead of a panic.
//
// # Functions
//
// [Put] takes a Go func as a kernel, or as a source of rewards; both are found inside kernels and
// problems, too. Because the cell's process ends, the kernel keeps the program: it starts it again,
// lets it run up to the same Put, and asks it for values there. So what a cell does before it puts
// a function is done twice, without output the second time, and must lead to the same Put: put
// functions first, in a cell that does little else. What the function reads from the session it has
// from the first run: a name that is bound again later does not change it. A panic in the function
// is an error of the cell that used it, with the points. Functions need a Unix system.
//
// # Errors
//
// Cells have no room for error handling, so the readers, [Put] and the acts panic, with one
// sentence that says what is wrong. [Get], [Bind] and [Act] return errors instead.
//
// Under plain GoNB, and outside a notebook, there is no session: every function says
// so. Everything else, display included (package display), works there as well.
package session
