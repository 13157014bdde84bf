package cluster_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// withKeys is a server that lets in the agents of run "r" and the owner.
type withKeys struct {
	*jetstream.Server
	t     *testing.T
	files map[string]string // by name, as agent-1.creds
}

// serveWithKeys starts a server with keys for so many agents.
func serveWithKeys(t *testing.T, agents int) withKeys {
	t.Helper()
	dir := t.TempDir()
	files := try.Of(jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Run: "r", Agents: agents}))
	out := withKeys{t: t, files: map[string]string{}}
	for _, f := range files {
		out.files[filepath.Base(f.Path)] = f.Path
	}
	out.Server = try.Of(jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"}))
	return out
}

// dial joins the server with a file of credentials.
func (s withKeys) dial(name string) cluster.Facts {
	s.t.Helper()
	if s.files[name] == "" {
		s.t.Fatalf("no credentials %s among %v", name, s.files)
	}
	x, err := jetstream.Dial(s.t.Context(), s.URL(), jetstream.DialOptions{Credentials: s.files[name]})
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	s.t.Cleanup(func() { x.Close() })
	return x
}

// An agent of another run on the same server wants the places of plans and messages for answers, before the agents speak. It
// gets none of them, and the run is the same.
func TestPlacesTakenByAStranger(t *testing.T) {
	if testing.Short() {
		t.Skip("a server with keys")
	}
	q := questionOf(t)
	for _, relay := range []bool{false, true} {
		s := serveWithKeys(t, q.Problem.V())
		s.keys("other-", jetstream.KeyOptions{Run: "other", Agents: 1})
		opened(t, s.dial("owner.creds"), q, cluster.OpenOptions{Relay: relay})
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(must(os.ReadFile(filepath.Join(s.Folder(), "keys", "server.pem"))))
		stranger := must(nats.Connect(s.URL(), must(nats.NkeyOptionFromSeed(s.files["other-agent-1.creds"])), nats.Secure(&tls.Config{RootCAs: roots})))
		defer stranger.Close()
		for _, place := range []string{"cope.r.0.agent-2", "cope.r.1.plan", "cope.r.1.agent-1", "cope.r.2.agent-1", "cope.r.2.agent-2", "cope.r.3.plan", "cope.r.7.plan"} {
			try.To(stranger.PublishRequest("cope-ask.state", place, nil))
		}
		// what the server was asked before has its answers by now
		must(stranger.Request("cope-ask.state", nil, time.Minute)) // the ones before are answered
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, s.dial(cluster.AgentName(v)+".creds"), q, v))
		}
		want := inProcess(t, q)
		for v, got := range takeAll(t, all) {
			sameAs(t, fmt.Sprintf("%s, relay %t", cluster.AgentName(v), relay), got, want)
		}
		status, err := cluster.StatusOf(t.Context(), s.dial("owner.creds"), "r")
		if err != nil || status.Rounds != int(want.Rounds) || !status.Agents[1].Joined {
			t.Errorf("relay %t: status %v, error %v", relay, status, err)
		}
		s.Close()
	}
}
