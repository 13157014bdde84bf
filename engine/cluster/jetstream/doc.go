// Package jetstream keeps the facts and the work of engine/cluster on a NATS JetStream server.
//
// Serve is that server within this program, with a folder of its own: a fact is synced to its disk before it is confirmed. Dial joins a
// server that Serve or another program has started.
//
// Two streams hold everything. COPE has a subject for each fact, and takes one message per subject, for ever: no client can delete, replace
// or purge one. COPE-WORK has a subject for each piece of work and a durable consumer for each run, which hands it out until a worker
// confirms that it is done. Nothing rests on clocks or on message ids, which a server forgets after a while.
//
//	cope.RUN.ROUND.NAME          a fact
//	cope.RUN.ROUND.result.REST   the fact result-REST: a token of its own, which a permission can name
//	cope-file.RUN.HASH.N         a piece of a file; N = size is its length, published last
//	cope-work.RUN.ID             a piece of work
//	cope-done.RUN.ID             states that it is done
//	cope-wake.RUN                states that there is work; not kept
//	cope-ask.QUESTION            answered by Serve itself
//	cope-say.RUN.ROUND.NAME      a plan or a result on its way through Serve, which adds its sender
//
// Keys makes the credentials: one file for each agent and worker. The streams of Serve are in an account of
// their own; users of a role come in by another, which has the subjects that they may publish to and no more.
package jetstream
