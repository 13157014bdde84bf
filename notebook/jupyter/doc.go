// Package jupyter is the wire between Jupyter front ends and kernels, for both
// ends: connection files, signed messages, and the five sockets of a kernel. It
// knows no bandits.
//
//	Connection   which addresses, which key
//	Session      makes, signs, encodes and verifies messages
//	Server       the sockets of a kernel: ROUTER for shell, control and stdin, PUB for iopub, an echo for the heartbeat
//	Client       the sockets of a front end: DEALER for shell, control and stdin, SUB for iopub
//	Calls        what arrives at a client, by the requests that caused it
//
// The ZeroMQ protocol itself is package zmtp's. Each connection has its own queue and goroutine, so
// that one front end that stops reading stops no other.
//
// A kernel's ports can be reached by every user of the machine, and what it publishes
// can be read by all of them. So nothing that comes before a signature takes more than
// a little memory, an answer goes back by the connection that asked, whatever identity
// another one claims, and a signed message counts once.
//
// Protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5.3.
package jupyter
