// Package cluster lets agents on different machines make one run.
//
// Every agent runs its own replica of the algorithm by engine.Steps. After each round it publishes the counts and mean rewards
// of its own arms [Du23, Alg. 1, l. 10], in the encoding of engine/internal/wire. Such a message is a fact: it is published once
// and permanent. All agents read the facts of a run in one order. The plan of a round is also a fact, so that replicas with
// different rounding make the same pulls. An Exchange stores the facts. The one of engine/cluster/jetstream stores them on
// a server.
//
// Words of the package:
//
//	agent     measures the arms of one task
//	fact      a message that is published once and never changed: a plan, an agent's results of a round, an end
//	exchange  stores the facts of runs in one order
//	replica   an agent's own copy of the algorithm, fed with the facts
//	retold    said of a recorded round that Replay passes to a replica
//	relay     the author of a plan, if its next plan passes on the messages of all agents
//
// A Maker makes the question from a script, so that the package does not depend on a script language.
package cluster
