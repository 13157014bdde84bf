// Package display shows values below a Go cell in the same way as a %%cope cell: as text, tables and figures.
//
//	p := session.Problem("p")
//	display.Show(p, p.Kernel)
//	display.Markdown("Weights by **task**: $\\lambda_v$")
//
// Under the kernel "Go + CoPE (gonb-cope)", the front end receives every representation of a value, see
// report.Bundle. Plain GoNB cannot send the value as JSON; the front end receives all other representations.
// Outside a notebook, the text is written to standard output. Thus a program copied from a notebook still
// shows its results.
package display
