package jetstream

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Names of the streams.
const (
	factStream = "COPE"
	workStream = "COPE-WORK"
)

const result = "result"

// What programs ask the server of Serve itself, which makes consumers for them: whoever makes one says
// where it delivers.
const (
	readSubject  = "cope-ask.read"  // .RUN or .RUN.NAME: a reader of facts
	queueSubject = "cope-ask.queue" // .RUN: the consumer of its work
	wokenSubject = "cope-ask.woken" // .RUN: there is work
	saySubject   = "cope-say"       // .RUN.ROUND.NAME: a fact whose sender is to be kept
)

// senderHeader of a fact says whose credentials published it: "agent-3" or "worker-2".
const senderHeader = "Cope-Sender"

const (
	nextFacts = "$JS.API.CONSUMER.MSG.NEXT." + factStream
	nextWork  = "$JS.API.CONSUMER.MSG.NEXT." + workStream
)

// factSubject returns the subject of a fact that cluster.CheckFact has passed.
func factSubject(f cluster.Fact) string {
	name := f.Name
	if rest, ok := strings.CutPrefix(name, result+"-"); ok && rest != "" {
		name = result + "." + rest
	}
	return fmt.Sprintf("cope.%s.%d.%s", f.Run, f.Round, name)
}

// factAt is the inverse of factSubject: the fact of a subject, without body.
func factAt(subject string) (cluster.Fact, error) {
	part := strings.SplitN(subject, ".", 4)
	if len(part) != 4 || part[0] != "cope" {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a fact", subject)
	}
	round, err := strconv.Atoi(part[2])
	if err != nil || strconv.Itoa(round) != part[2] {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a fact: the round is no number", subject)
	}
	name := part[3]
	if rest, ok := strings.CutPrefix(name, result+"."); ok {
		name = result + "-" + rest
	}
	f := cluster.Fact{Run: part[1], Round: round, Name: name}
	return f, cluster.CheckFact(f)
}

func runSubjects(run string) string          { return "cope." + run + ".>" }
func fileSubject(run, hash, n string) string { return "cope-file." + run + "." + hash + "." + n }
func workSubject(run, id string) string      { return "cope-work." + run + "." + id }
func doneSubject(run, id string) string      { return "cope-done." + run + "." + id }
func wakeSubject(run string) string          { return "cope-wake." + run }
