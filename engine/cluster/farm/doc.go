// Package farm makes the runs of experiments on other machines, bit for bit as sim.Run makes them
// here.
//
// A program that wants results has a Runner, which hands experiments in and gets results back. It sends a Recipe instead of a problem: the
// text of the script that makes it, and the hashes of its data files. A Worker fetches these once, makes the experiment, and then some of
// its runs, which are a Chunk. The key of the experiment shows that both have the same one.
//
// A chunk takes about 50 ms, so that the queue costs little beside it; it may have runs of several experiments. It takes more time if many
// workers would keep the server busy or if a worker has to prepare much. How long a run takes is measured: the first chunks have one run
// each. The result does not depend on how the runs are cut, on who makes them, nor on how often (sim.Trials.Result).
//
// A worker publishes the result first, once for ever, and then takes the chunk out of the queue. If it is killed between the two, the chunk
// is made again, which gives the same bytes. Failures of a chunk are published, too, and the third one ends the job.
package farm
