// Package zmtp implements the ZeroMQ Message Transport Protocol, version 3.0 with the mechanism NULL, for one
// connection: greeting, handshake and frames.
//
//	Open      performs the handshake and checks that the peer's kind of socket fits
//	Receive   reads one message of limited size
//	Send      writes one message to a buffer, which Flush sends
//
// Peers are untrusted. Each read has a limit, and memory grows as bytes arrive, not by an announced length. Routes,
// subscriptions and queues, which belong to sockets, are in package jupyter.
//
// Protocol: https://rfc.zeromq.org/spec/23/.
package zmtp
