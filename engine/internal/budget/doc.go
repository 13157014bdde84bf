// Package budget shares a fixed budget out: among rounds, agents and arms. It has no estimates of its own: CoBayesFB
// brings the posterior of its data, with or without tests that decide tasks.
package budget
