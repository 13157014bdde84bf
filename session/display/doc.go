// Package display shows values below a Go cell as a %%cope cell would show them: text,
// tables, figures.
//
//	p := session.Problem("p")
//	display.Show(p, p.Kernel)
//	display.Markdown("Weights by **task**: $\\lambda_v$")
//
// Under the kernel "Go + CoPE (gonb-cope)" the front end gets every representation of
// a value (report.Bundle). Under plain GoNB it gets the same, except the value as JSON:
// GoNB's channel has no place for it. Outside a notebook the text goes to standard
// output, so that a program copied out of a notebook still shows what it did.
package display
