// Package jetstream keeps the facts of engine/cluster on a NATS JetStream server.
//
// Serve starts such a server within this program, with its own folder: it syncs a fact to disk before it confirms it. Dial
// connects to a server that Serve or another program has started.
//
// The stream COPE has a subject for each fact, and accepts one message per subject: no client can delete or replace it. The rule
// needs no message ids, which a server forgets after a while.
//
//	cope.RUN.ROUND.NAME       a fact
//	cope-file.RUN.HASH.N      a piece of a file; N = size is its length, published last
//	cope-ask.QUESTION         answered by Serve itself
//	cope-say.RUN.ROUND.NAME   a plan on its way through Serve, which adds its sender
//
// Keys makes the credentials: one file for the owner and one for each agent. The stream of Serve is in a separate account. Each
// role has another account, which imports only the subjects to which the role may publish.
package jetstream
