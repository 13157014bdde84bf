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
// A Go cell is a process that ends with the cell. Values are copied in both directions, so a change to a value in the cell does not
// change the session. The notebook kernel evaluates formulas of the session for the cell, one row at a time.
//
// # Kernels
//
// There are two types of kernels, in scripts and in Go. [Kernel] returns a joint kernel, which compares pairs of task and arm; each
// problem has one. [PointKernel] returns a kernel of one space, which task(...) and arm(...) accept. If the kernel that is bound to a
// name has the other type, the error names the right function.
//
// # Campaigns
//
// [Start], [Ask], [Tell], [Attach], [Fail], [Correct], [CloseRound] and [Amend] call the script functions that record an act in a
// campaign. The notebook kernel executes the call, so the events and the errors are the same as in a script.
// A repeated act changes nothing.
// If the kernel restarts a program for a function of [Put], the acts in the program return their first results, and nothing is
// recorded twice. [Act] performs each of these acts; it returns an error where the others panic.
//
// # Functions
//
// [Put] accepts a Go func as a kernel or as a source of rewards, also inside kernels and problems. The cell's process ends, so the
// notebook kernel keeps the program. It starts the program again, lets it run to the same Put, and requests values of the function. The
// code before the Put therefore runs again, without output, in each process that the kernel starts. It must reach the same Put. Call
// Put first, in a cell that does little else. The function uses the values that the session had in the first run, even if a name is
// bound again later. A panic in the function is an error of the cell that uses it; the error contains the points. Functions need a
// Unix system.
//
// # Algorithms
//
// [Put] accepts an algorithms.Entry. The argument algorithm=NAME of fc, fb and sweep then runs it, by the rules for functions.
// Concurrent runs use separate processes, at most eight and at most one per core. The program starts again in each process, so runs
// share no variables.
//
// A sweep with a store computes results again after a change of the cell with the Put, of a declaration that this cell uses, or of a
// value that it read from the session. Changes of other declarations and of comments have no effect.
//
// # Errors
//
// To keep cells short, the functions that return a value, [Put] and the acts panic if there is an error. The message is one sentence.
// [Get], [Bind] and [Act] return errors instead.
//
// Under plain GoNB, and outside a notebook, there is no session, and every function reports this. Package display and all other
// packages work there.
package session
