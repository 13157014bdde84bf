package jetstream

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// The sentence about copies says how many are asked for, and how many of them are up to date.
func TestCopies(t *testing.T) {
	peer := func(current, offline bool) *jetstream.PeerInfo {
		return &jetstream.PeerInfo{Current: current, Offline: offline}
	}
	// by replicas asked for, and by the replicas beside the leader
	for _, c := range []struct {
		replicas int
		peers    []*jetstream.PeerInfo
		want     replication
		words    string
	}{
		{1, nil, replication{1, 1}, "keeps one copy of every message. If the server that has it stops, the run waits"},
		{2, []*jetstream.PeerInfo{peer(true, false)}, replication{2, 2}, "keeps 2 copies of every message"},
		{3, []*jetstream.PeerInfo{peer(false, false), peer(false, false)}, replication{3, 1}, "keeps 3 copies of every message; 1 is up to date. Do not stop another server before all are"},
		{3, []*jetstream.PeerInfo{peer(true, true), peer(true, false)}, replication{3, 2}, "; 2 are up to date"},
		{3, []*jetstream.PeerInfo{peer(true, false), peer(true, false)}, replication{3, 3}, ""},
	} {
		i := &jetstream.StreamInfo{Config: jetstream.StreamConfig{Replicas: c.replicas}, Cluster: &jetstream.ClusterInfo{Replicas: c.peers}}
		got := copiesIn(i)
		if got != c.want || !strings.Contains(got.String(), c.words) {
			t.Errorf("%d replicas: %+v %q, want %+v %q", c.replicas, got, got.String(), c.want, c.words)
		}
	}
}
