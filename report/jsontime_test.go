package report

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Times are written by RFC 3339, as docs/reference/json.md says, so that other programs read them.
func TestTimesInJSON(t *testing.T) {
	began := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
	s := campaign.Status{Name: "days", Started: began, People: []campaign.Debt{{By: "Ann", Until: began.Add(time.Hour)}}}
	var b bytes.Buffer
	if err := JSON(&b, Document{Displays: []Display{{Name: "s", Value: s}}}); err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(JSONValue(s))
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Displays []struct{ Value json.RawMessage }
	}
	if err := json.Unmarshal(b.Bytes(), &written); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{"a document": written.Displays[0].Value, "a value": plain} {
		var got struct {
			Started string
			People  []struct{ Until string }
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.Started != "2026-03-04T05:06:07.00000089Z" || got.People[0].Until != "2026-03-04T06:06:07.00000089Z" {
			t.Errorf("%s: started %q, until %q", what, got.Started, got.People[0].Until)
		}
	}
}
