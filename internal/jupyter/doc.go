// Package jupyter is the wire between Jupyter front ends and kernels, for both
// ends: connection files, signed messages, and the five sockets of a kernel. It
// knows no bandits.
//
//	Connection   which addresses, which key
//	Session      makes, signs, encodes and verifies messages
//	Server       the sockets of a kernel: ROUTER for shell, control and stdin, PUB for iopub, an echo for the heartbeat
//	Client       the sockets of a front end: DEALER for shell, control and stdin, SUB for iopub
//
// The ZeroMQ protocol itself is go-zeromq's (zmq4.Conn). Queues are ours: go-zeromq's
// PUB writes to its subscribers one after the other under one lock, so that one
// front end that stops reading stops all others. Here each connection has a queue
// and a goroutine of its own.
//
// Protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5.3.
package jupyter
