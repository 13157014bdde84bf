package cluster_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The test binary is server and agent, too: processes that can be killed at any moment. One environment variable has their role.
const roleVariable = "GONB_COPE_CLUSTER_TEST"

// role says what a process does. Fields are of one kind of process or of another; which kind it is follows from the ones that are set.
type role struct {
	Serve  string // folder of the server; "" if it is none
	Listen string // its address
	Member member // of a cluster of servers, if it has a name

	URL      string        // of the server
	Question int           // of questions
	Agent    int           // its number, from 0
	Folder   string        // of the agent
	Log      string        // file of the acknowledged messages
	Out      string        // file of an ending
	Slow     time.Duration // between two arms
	Kill     string        // where the agent kills itself: place:round
	Patience time.Duration // see cluster.Agent
	GoOn     bool          // see cluster.Agent

	Creds  string // file of credentials
	Clock  string // file with the offset of the clock, where the program has one that can jump
	Inside string // namespace of the network that the process is in; the test's own if it is empty

	Echo, From string // address to ask for echoes, and the one of this host
	Times      int    // how often
}

// ending holds the outcome of an agent.
type ending struct {
	cluster.Finished
	Outcome engine.Outcome
	Clock   time.Time // what it was by the clock of the agent
}

// TestMain runs the tests, or takes the role that the environment has.
func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	switch {
	case err != nil:
	case r.Member.Name != "":
		err = r.Member.serve()
	case r.Serve != "":
		err = r.serve()
	case r.Echo != "":
		err = r.echo()
	default:
		err = r.take()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve serves until the process is killed.
func (r role) serve() error {
	s, err := jetstream.Serve(context.Background(), r.Serve, jetstream.ServeOptions{Listen: r.Listen})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	select {}
}

// all is a testing.TB for what questions needs outside of a test.
type outside struct{ testing.TB }

// take takes part.
func (r role) take() error {
	ctx := context.Background()
	x, err := jetstream.Dial(ctx, r.URL, jetstream.DialOptions{Wait: time.Minute, Credentials: r.Creds})
	if err != nil {
		return err
	}
	q := questions(outside{})[r.Question].Question
	a := cluster.Agent{
		Facts: acknowledging{x, r}, Run: "r", Task: q.Problem.Tasks.Names[r.Agent], Folder: r.Folder, Make: maker(q), Build: cluster.BuildHere(),
		Puller: func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
			p, err := simulated(q, b)
			return slow{p.(cluster.Simulated), r}, err
		},
		Patience: r.Patience, GoOn: r.GoOn,
	}
	f, err := a.Take(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(ending{f, f.Outcome, time.Now()})
	if err != nil {
		return err
	}
	// the file is there as a whole or not at all: it shows that the agent is done
	if err := os.WriteFile(r.Out+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(r.Out+".new", r.Out)
}

// die kills the process once, at the place and round of its role.
func (r role) die(place string, round int) {
	if r.Kill != fmt.Sprintf("%s:%d", place, round) {
		return
	}
	// the file says that it was killed here, so that its next life goes on
	if f, err := os.OpenFile(r.Log+"."+place, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
		f.Close()
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// note writes a line about something that was acknowledged.
func (r role) note(line string) {
	f := try.Of(os.OpenFile(r.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))
	defer f.Close()
	try.Of(f.WriteString(line + "\n"))
}

// acknowledging notes the facts whose publication was acknowledged.
type acknowledging struct {
	cluster.Facts
	role role
}

func (a acknowledging) Publish(ctx context.Context, f cluster.Fact) error {
	message := f.Name == cluster.AgentName(a.role.Agent)
	if message {
		a.role.die("after-pulls", f.Round)
	}
	// killed in between, the agent does not know whether its message was taken
	err := a.Facts.Publish(ctx, f)
	if message {
		a.role.die("before-acknowledgement", f.Round)
	}
	if err == nil {
		a.role.note(fmt.Sprintf("fact %s %x", f.Address(), sha256.Sum256(f.Body)))
	}
	return err
}

// slow pulls arm by arm, and notes what was acknowledged.
type slow struct {
	cluster.Simulated
	role role
}

func (s slow) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	s.role.die("before-pulls", p.Plan.Round)
	return s.Simulated.Pull(ctx, p, func(all ...cluster.Reward) error {
		for i, r := range all {
			time.Sleep(s.role.Slow)
			if err := tell(r); err != nil {
				return err
			}
			// a pull that is on the disk must never be made again
			s.role.note(fmt.Sprintf("pull %d/%d %d", p.Plan.Round, r.Arm, r.Count))
			if i == len(all)/2 {
				s.role.die("during-pulls", p.Plan.Round)
			}
		}
		return nil
	})
}
