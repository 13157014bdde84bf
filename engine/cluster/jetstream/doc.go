// Package jetstream keeps the facts of engine/cluster on a NATS JetStream server.
//
// Serve is that server within this program, with a folder of its own: a fact is synced to its disk before it is confirmed. Dial joins a
// server that Serve or another program has started.
//
// The stream COPE has a subject for each fact, and accepts one message per subject, for ever: no client can delete, replace or purge one.
// Facts depend on no clock and no message id, which a server forgets after a while.
//
//	cope.RUN.ROUND.NAME       a fact
//	cope-file.RUN.HASH.N      a piece of a file; N = size is its length, published last
//	cope-ask.QUESTION         answered by Serve itself
//	cope-say.RUN.ROUND.NAME   a plan on its way through Serve, which adds its sender
//
// Keys makes the credentials: one file for each agent. The stream of Serve is in an account of
// its own; users of a role come in by another, which has the subjects that they may publish to and no more.
package jetstream
