package client

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// sent is a message on iopub: its type and content.
type sent struct{ kind, content string }

func stream(name, text string) sent {
	return sent{"stream", `{"name":"` + name + `","text":"` + text + `"}`}
}

func display(kind, id, text string) sent {
	return sent{kind, `{"data":{"text/plain":"` + text + `"},"metadata":{"m":"` + text + `"},"transient":{"display_id":"` + id + `"}}`}
}

var (
	clearNow  = sent{"clear_output", `{"wait":false}`}
	clearWait = sent{"clear_output", `{"wait":true}`}
)

func streamed(name, text string) notebook.Output {
	return notebook.Output{Type: notebook.Stream, Name: name, Text: text}
}

func displayed(text string) notebook.Output {
	return notebook.Output{Type: notebook.DisplayData, Data: map[string]any{"text/plain": text}, Metadata: map[string]any{"m": text}}
}

// What nbclient 0.7.2 does with these messages (process_message, output,
// clear_output, _update_display_id), except for streams, which it leaves apart.
func TestCollector(t *testing.T) {
	for name, c := range map[string]struct {
		cells [][]sent
		want  [][]notebook.Output
	}{
		"streams of one name are one": {
			[][]sent{{stream("stdout", "a"), stream("stdout", "b"), stream("stderr", "x"), stream("stdout", "c"), stream("stderr", "y"), stream("stdout", "")}},
			[][]notebook.Output{{streamed("stdout", "abc"), streamed("stderr", "xy")}},
		},
		"a display parts streams": {
			[][]sent{{stream("stdout", "a"), display("display_data", "", "D"), stream("stderr", "x"), stream("stdout", "b")}},
			[][]notebook.Output{{streamed("stdout", "a"), displayed("D"), streamed("stderr", "x"), streamed("stdout", "b")}},
		},
		"a stream without a name": {
			[][]sent{{{"stream", `{"text":"a"}`}}},
			[][]notebook.Output{{streamed("stdout", "a")}},
		},
		"an update changes every place and shows nothing new": {
			[][]sent{
				{display("display_data", "p", "0 %"), display("display_data", "q", "other"), display("display_data", "p", "5 %")},
				{display("update_display_data", "p", "50 %"), display("update_display_data", "unknown", "lost")},
			},
			[][]notebook.Output{{displayed("50 %"), displayed("other"), displayed("50 %")}, nil},
		},
		"showing again updates what was shown": {
			[][]sent{{display("display_data", "p", "old")}, {display("display_data", "p", "new")}},
			[][]notebook.Output{{displayed("new")}, {displayed("new")}},
		},
		"no id is no common id": {
			[][]sent{{display("display_data", "", "a"), display("display_data", "", "b"), display("update_display_data", "", "c")}},
			[][]notebook.Output{{displayed("a"), displayed("b")}},
		},
		"clear at once": {
			[][]sent{{stream("stdout", "a"), clearNow}, {stream("stdout", "a"), clearNow, stream("stdout", "b")}},
			[][]notebook.Output{nil, {streamed("stdout", "b")}},
		},
		"clear before the next output": {
			[][]sent{{stream("stdout", "a"), clearWait, stream("stdout", "b"), stream("stdout", "c")}, {stream("stdout", "a"), clearWait}, {stream("stdout", "d")}},
			[][]notebook.Output{{streamed("stdout", "bc")}, {streamed("stdout", "a")}, {streamed("stdout", "d")}},
		},
		"a cleared display is not updated": {
			[][]sent{
				{display("display_data", "p", "kept")},
				{display("display_data", "p", "gone"), clearNow, stream("stdout", "a"), display("update_display_data", "p", "new")},
			},
			[][]notebook.Output{{displayed("new")}, {streamed("stdout", "a")}},
		},
		"a result has a count": {
			[][]sent{{{"execute_result", `{"data":{"text/plain":"42"},"metadata":{},"execution_count":3}`}}},
			[][]notebook.Output{{{Type: notebook.ExecuteResult, Data: map[string]any{"text/plain": "42"}, Metadata: map[string]any{}, ExecutionCount: 3}}},
		},
		"JSON media keep their digits": {
			[][]sent{{{"display_data", `{"data":{"application/json":{"n":12345678901234567890}},"metadata":{}}`}}},
			[][]notebook.Output{{{
				Type: notebook.DisplayData, Metadata: map[string]any{},
				Data: map[string]any{"application/json": map[string]any{"n": json.Number("12345678901234567890")}},
			}}},
		},
		"an error": {
			[][]sent{{stream("stdout", "a"), {"error", `{"ename":"E","evalue":"v","traceback":["l1","l2"]}`}}},
			[][]notebook.Output{{streamed("stdout", "a"), {Type: notebook.Error, ErrorName: "E", ErrorValue: "v", Traceback: []string{"l1", "l2"}}}},
		},
		"what is unknown": {
			[][]sent{{{"comm_open", `{"data":7}`}, {"fireworks", `not even JSON`}, stream("stdout", "a")}},
			[][]notebook.Output{{streamed("stdout", "a")}},
		},
	} {
		nb := &notebook.Notebook{Cells: make([]notebook.Cell, len(c.cells))}
		collector := newCollector(nb, false)
		for i, messages := range c.cells {
			collector.begin(i)
			for _, m := range messages {
				if err := collector.apply(m.kind, json.RawMessage(m.content), time.Time{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		got := make([][]notebook.Output, len(nb.Cells))
		for i, cell := range nb.Cells {
			got[i] = cell.Outputs
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestCollectorTimes(t *testing.T) {
	nb := &notebook.Notebook{Cells: []notebook.Cell{{Type: notebook.Code, Metadata: map[string]any{"execution": map[string]any{"old": "x"}, "mine": 1}}}}
	c := newCollector(nb, true)
	c.begin(0)
	at := time.Date(2026, 5, 4, 13, 0, 0, 1000, time.FixedZone("", 3600))
	for _, m := range []sent{
		{"status", `{"execution_state":"busy"}`}, {"execute_input", `{"code":"x","execution_count":4}`},
		{"status", `{"execution_state":"starting"}`}, {"status", `{"execution_state":"idle"}`},
	} {
		try.To(c.apply(m.kind, json.RawMessage(m.content), at))
		at = at.Add(time.Second)
	}
	want := map[string]any{"mine": 1, "execution": map[string]any{
		"iopub.status.busy": "2026-05-04T12:00:00.000001Z", "iopub.execute_input": "2026-05-04T12:00:01.000001Z",
		"iopub.status.idle": "2026-05-04T12:00:03.000001Z",
	}}
	if diff := cmp.Diff(want, nb.Cells[0].Metadata); diff != "" {
		t.Error(diff)
	}
	if nb.Cells[0].ExecutionCount != 4 {
		t.Errorf("count %d", nb.Cells[0].ExecutionCount)
	}
}

func TestCollectorMalformed(t *testing.T) {
	c := newCollector(&notebook.Notebook{Cells: make([]notebook.Cell, 1)}, false)
	c.begin(0)
	contains(t, c.apply("stream", json.RawMessage(`{"text":1}`), time.Time{}), "message stream from the kernel cannot be decoded: text cannot be a number")
}

// A stream of many pieces costs its length, not its square: copying it for each
// piece would allocate half a terabyte here.
func TestCollectorLongStream(t *testing.T) {
	pieces := 200_000
	if testing.Short() {
		pieces = 50_000
	}
	nb := &notebook.Notebook{Cells: make([]notebook.Cell, 1)}
	content := json.RawMessage(`{"name":"stdout","text":"` + strings.Repeat("x", 25) + `"}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := newCollector(nb, false)
	c.begin(0)
	for range pieces {
		try.To(c.apply("stream", content, time.Time{}))
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if n := len(nb.Cells[0].Outputs[0].Text); n != 25*pieces {
		t.Errorf("%d bytes of text", n)
	}
	if allocated > uint64(pieces)*10_000 {
		t.Errorf("%d MB allocated", allocated>>20)
	}
}
