// Package cluster lets agents on different machines make one run.
//
// Every agent drives its own replica of the algorithm by engine.Steps, and publishes the counts and mean rewards of its own arms after each
// round [Du23, Alg. 1, l. 10], as engine/internal/wire writes them. Such a message is a fact: it is published once, for ever, and all
// agents read the facts of a run in one order. The plan of a round is a fact, too, so that replicas of builds which round differently make
// the same pulls. An Exchange keeps the facts; Memory does so within a process, and engine/cluster/jetstream on a server.
//
// Words of the package:
//
//	agent     measures the arms of one task
//	fact      a message that is published once and never changed: a plan, an agent's results of a round, an end
//	exchange  stores the facts of a run in one order
//	replica   an agent's own copy of the algorithm, fed with the facts
//	retold    facts of earlier rounds that a replica reads again after a restart
//	relay     an agent that passes on another agent's fact
//
// Agents are given a function that makes the problem from a script, so the package does not depend on a script language.
package cluster
