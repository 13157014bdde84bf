// Package zmtp is the ZeroMQ Message Transport Protocol, version 3.0 with the
// mechanism NULL, on one connection: greeting, handshake and frames.
//
//	Open      greets, sends kind and identity, and checks that the peer's kind fits
//	Receive   reads one message of at most a number of bytes
//	Send      writes one message to a buffer, which Flush empties
//
// Any peer that can connect can announce anything. Each read has a limit, and memory grows
// with what arrives, never with a length that was announced. The functions of sockets (routes,
// subscriptions, queues) are not in here.
//
// Protocol: https://rfc.zeromq.org/spec/23/.
package zmtp
