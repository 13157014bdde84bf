package jetstream_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// An agent may make readers of its run, and say where they want their facts. It cannot have them delivered
// as work, as a sign that work is done, or as what another says: nothing is stored.
func TestFactsDeliveredElsewhere(t *testing.T) {
	s, keys := guarded(t)
	owner := join(t, s.URL(), keys["the owner"])
	if err := owner.Offer(t.Context(), "sweep", cluster.Work{ID: "c-1", Body: []byte("offered")}); err != nil {
		t.Fatal(err)
	}
	nc, _ := raw(t, s, keys["agent 1 of run r"])
	for i, place := range []string{"cope-work.sweep.c-2", "cope-done.sweep.c-1", "cope.r.9.plan.x"} {
		name := "evil" + strconv.Itoa(i)
		fake := nats.NewMsg("cope.r." + strconv.Itoa(i) + ".agent-1")
		fake.Data = []byte("forged")
		fake.Header.Set("Cope-Address", place) // as if it belonged there
		if _, err := nc.RequestMsg(fake, limit); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(map[string]any{"stream_name": "COPE", "action": "create", "config": map[string]any{
			"name": name, "deliver_subject": place, "filter_subject": fake.Subject, "ack_policy": "none", "deliver_policy": "all"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nc.Request("$JS.API.CONSUMER.CREATE.COPE."+name+"."+fake.Subject, text, limit); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	worker := join(t, s.URL(), keys["worker 1"])
	if w, err := worker.Take(patiently(t), "sweep"); err != nil || w.Work().ID != "c-1" || string(w.Work().Body) != "offered" {
		t.Errorf("took %v, error %v", w, err)
	}
	if w, err := worker.Take(shortly(t), "sweep"); err == nil {
		t.Errorf("took %s, which nobody has offered", w.Work().ID)
	}
	look, _ := raw(t, s, keys["the owner"])
	for stream, want := range map[string]string{"COPE": `"messages":3,`, "COPE-WORK": `"messages":1,`} {
		if m, err := look.Request("$JS.API.STREAM.INFO."+stream, nil, limit); err != nil || !strings.Contains(string(m.Data), want) {
			t.Errorf("%s holds more than %s %s", stream, want, m.Data)
		}
	}
}
