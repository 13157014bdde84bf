// Package rpc serves a session of the script language to a program in another language. The protocol is JSON-RPC 2.0
// over two streams; docs/reference/json.md describes it.
//
//	program ─ hello, table, call, run, value, … ─▶ server ─▶ dsl.Session
//	        ◀─ answers, errors as data ───────────
//	        ◀─ progress, notice, display ─────────   notifications
//	        ◀─ evaluate ──────────────────────────   requests values of a function of the program, in blocks
//
// Values stay in the session. The program knows their names, with which it calls further functions (call.go), and
// requests displays of values (values.go). A call is evaluated as a statement of the language, in which a name means
// its definition. So sweep, campaigns and messages work as in a script. The available functions are those of package
// dsl's catalogue.
//
// Large arrays of numbers are sent as blocks of bytes beside the messages (channel.go). Tables are sent as columns or
// CSV (values.go), and the session reads them like files. A function of the program is a kernel, a reward function or
// an algorithm. The values of a kernel are requested for all points together (functions.go, kernel.go).
//
// The method cancel interrupts a request. The request is still answered, with the results finished so far. The server
// ends when its input ends.
package rpc
