// Package cluster lets agents that are really apart make one run, and workers that are apart make
// the runs of a sweep.
//
// Every agent drives its own replica of the algorithm by engine.Steps, and tells the others the counts
// and mean rewards of its own arms after each round [Du23, Alg. 1, l. 10], as engine/internal/wire writes them.
// What is told is a fact: it is published once, for ever, and everybody reads the facts of a run in
// one order. The plan of a round is a fact, too, so that replicas of builds which round differently
// make the same pulls. An Exchange keeps the facts; Memory does so within a process, and
// engine/cluster/jetstream on a server.
//
// How a script becomes a problem is a function that agents are given, so the package knows no script
// language.
package cluster
