// Package jupyter implements Jupyter's messaging protocol for front ends and for kernels: connection files, signed
// messages, and the five sockets of a kernel.
//
//	Connection   addresses of a kernel, and the key that signs messages
//	Session      creates, signs, encodes and verifies messages
//	Server       sockets of a kernel: ROUTER for shell, control and stdin, PUB for iopub, an echo for the heartbeat
//	Client       sockets of a front end: DEALER for shell, control and stdin, SUB for iopub
//	Calls        delivers messages at a client to the requests that caused them
//
// Package zmtp implements the ZeroMQ protocol. Each connection has its own queue and goroutine, so a front end that
// stops reading does not affect others.
//
// Every user of the machine can connect to a kernel's ports and read what it publishes. Therefore a connection can use
// little memory until it has sent a signed message. An answer is sent on the connection of its request, even if another
// connection claims the same identity. A repeated signed message is ignored.
//
// Protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5.3.
package jupyter
