// Package budget distributes a fixed budget over rounds, agents and arms. It has no estimates of its own: CoBayesFB passes the posterior
// of its data.
package budget
