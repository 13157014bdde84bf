// Package rpc serves a session of the script language to a program in another language: JSON-RPC 2.0
// over two streams, which docs/reference/json.md describes.
//
//	program ─ hello, table, call, run, value, … ─▶ server ─▶ dsl.Session
//	        ◀─ answers, errors as data ───────────
//	        ◀─ progress, notice, display ─────────   notifications
//	        ◀─ evaluate ──────────────────────────   asks a function of the program, in blocks
//
// A value stays here. The program has its name, by which it calls further functions (call.go), and
// asks for the forms that it shows (values.go). A call is a statement of the language: a name means its
// definition, so sweep, campaigns and messages work as in a script. The functions are those of the
// catalogue of package dsl; nothing here names one.
//
// Numbers in bulk travel as blocks (channel.go): bytes beside the messages. Tables are columns or CSV
// (values.go); the session reads them instead of files. A function of the program is a kernel, whose
// values are asked for all points at once (functions.go, kernel.go), or draws rewards.
//
// A request is cancelled by the notification cancel and is answered nevertheless, with what was
// finished. The end of the input ends the server.
package rpc
