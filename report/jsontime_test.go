package report

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Times are written by RFC 3339, as docs/reference/json.md says, so that other programs read them.
func TestTimesInJSON(t *testing.T) {
	began := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
	s := campaign.Status{Name: "days", Started: began, People: []campaign.Debt{{By: "Ann", Until: began.Add(time.Hour)}}}
	var b bytes.Buffer
	try.To(JSON(&b, Document{Displays: []Display{{Name: "s", Value: s}}}))
	plain := try.Of(json.Marshal(JSONValue(s)))
	var written struct {
		Displays []struct{ Value json.RawMessage }
	}
	try.To(json.Unmarshal(b.Bytes(), &written))
	for what, text := range map[string][]byte{"a document": written.Displays[0].Value, "a value": plain} {
		var got struct {
			Started string
			People  []struct{ Until string }
		}
		try.To(json.Unmarshal(text, &got))
		if got.Started != "2026-03-04T05:06:07.00000089Z" || got.People[0].Until != "2026-03-04T06:06:07.00000089Z" {
			t.Errorf("%s: started %q, until %q", what, got.Started, got.People[0].Until)
		}
	}
}
