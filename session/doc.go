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
// A Go cell is a process that lasts as long as the cell. Values are copied in both directions, so changing a value here does not change the
// session. The kernel evaluates formulas of the session, a row at a time.
//
// # Kernels
//
// There are two types of kernels, in the language and in Go. [Kernel] reads a joint kernel, which compares arms of tasks and is what a
// problem has; [PointKernel] reads a kernel of the points of one space, which task(...) and arm(...) take. If a name has the other type,
// the error names the right function.
//
// # Campaigns
//
// [Start], [Ask], [Tell], [Attach], [Fail], [Correct], [CloseRound] and [Amend] are the acts of scripts. The kernel performs them, so
// that they are the same events with the same errors; a repeated act changes nothing. If the kernel restarts a program for a function of
// [Put], the acts in it return their first results, and nothing is recorded twice. [Act] performs all of them and returns an error
// instead of a panic.
//
// # Functions
//
// [Put] accepts a Go func as a kernel or as a source of rewards, also inside kernels and problems. Because the cell's process ends, the
// kernel keeps the program: it starts it again, lets it run up to the same Put, and asks it for values. So the code before the Put runs
// again in each process that the kernel starts, without output, and must lead to the same Put. Put functions first, in a cell that does
// little else. The function uses the session's values of the first run, even if a name is bound again later. A panic in the function is
// an error of the cell that used it, with the points. Functions need a Unix system.
//
// # Algorithms
//
// [Put] accepts an algorithms.Entry. Then algorithm=NAME of fc, fb and sweep runs it, by the rules for functions. Concurrent
// runs use separate processes, at most eight and at most one per core. The program starts again in each, and runs share no variables.
//
// A sweep with a store computes results again if the cell with the Put changed, a declaration that it uses, or a value that it read
// from the session. Changes of other declarations and of comments do not matter.
//
// # Errors
//
// For short cells, the readers, [Put] and the acts panic with a one-sentence message. [Get], [Bind] and [Act] return errors
// instead.
//
// Under plain GoNB, and outside a notebook, there is no session, and every function reports that. Package display and all other
// packages work there.
package session
