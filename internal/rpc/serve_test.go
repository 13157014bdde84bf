package rpc

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// program is the other side: it sends messages and reads what comes.
type program struct {
	*testing.T
	out    io.WriteCloser
	in     *textproto.Reader
	number int
	heard  []message         // notifications
	ask    func(message) any // answers evaluate: the result, or an error
	blocks map[int][]byte
}

// message is any message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    data
	} `json:"error"`
}

// data is an error's; the library's own errors have others.
type data struct{ failure }

func (d *data) UnmarshalJSON(text []byte) error {
	_ = json.Unmarshal(text, &d.failure)
	return nil
}

func start(t *testing.T) *program {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := try.Two(os.Pipe()) // which holds what the test has not read while it sends
	done := make(chan error, 1)
	go func() { done <- Serve(in, out, "test") }()
	p := &program{T: t, out: toServer, in: textproto.NewReader(bufio.NewReader(fromServer)), blocks: map[int][]byte{}}
	t.Cleanup(func() {
		toServer.Close()
		go io.Copy(io.Discard, fromServer)
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server goes on when its input has ended")
		}
	})
	return p
}

func (p *program) send(m map[string]any) {
	p.Helper()
	m["jsonrpc"] = "2.0"
	text := try.Of(json.Marshal(m))
	fmt.Fprintf(p.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

func (p *program) block(number int, content []byte) {
	fmt.Fprintf(p.out, "Content-Length: %d\r\nBlock: %d\r\n\r\n%s", len(content), number, content)
}

// next returns the next message.
func (p *program) next() message {
	p.Helper()
	for {
		h := try.Of(p.in.ReadMIMEHeader())
		var length, number int
		fmt.Sscan(h.Get("Content-Length"), &length)
		content := make([]byte, length)
		try.Of(io.ReadFull(p.in.R, content))
		if n, _ := fmt.Sscan(h.Get("Block"), &number); n == 1 {
			p.blocks[number] = content
			continue
		}
		var m message
		if err := json.Unmarshal(content, &m); err != nil {
			p.Fatalf("%v: %s", err, content)
		}
		return m
	}
}

// request sends a request and returns its answer; requests that arrive meanwhile are answered, and
// notifications are kept.
func (p *program) request(method string, params any) message {
	p.Helper()
	p.number++
	id := fmt.Sprint("p", p.number)
	p.send(map[string]any{"id": id, "method": method, "params": params})
	for {
		switch m := p.next(); {
		case m.Method == "evaluate":
			p.send(map[string]any{"id": m.ID, "result": p.ask(m)})
		case m.Method != "":
			p.heard = append(p.heard, m)
		case string(m.ID) == strconv.Quote(id):
			return m
		}
	}
}

// result requests and wants a result.
func result[T any](p *program, method string, params any) (out T) {
	p.Helper()
	m := p.request(method, params)
	if m.Error != nil {
		p.Fatalf("%s %v: %s %+v", method, params, m.Error.Message, m.Error.Data)
	}
	if err := json.Unmarshal(m.Result, &out); err != nil {
		p.Fatalf("%s: %v: %s", method, err, m.Result)
	}
	return out
}

func call(function string, args ...any) map[string]any {
	return map[string]any{"function": function, "args": args}
}

func named(function string, names map[string]any, args ...any) map[string]any {
	c := call(function, args...)
	c["named"] = names
	return c
}

func ref(d described) map[string]any { return map[string]any{"name": d.Name} }

// Values stay behind names, numbers and texts are sent themselves, and a name represents its
// definition.
func TestCalls(t *testing.T) {
	p := start(t)
	if h := result[map[string]any](p, "hello", map[string]any{"protocol": Protocol}); h["version"] != "test" {
		t.Errorf("hello gives %v", h)
	}
	if m := p.request("hello", map[string]any{"protocol": 0}); m.Error == nil || m.Error.Data.Kind != "request" {
		t.Errorf("an old protocol is answered by %+v", m)
	}
	if d := result[described](p, "call", call("mean", []any{1, 2.5})); d.Value != 1.75 || d.Type != "number" {
		t.Errorf("a mean is %+v", d)
	}
	problem := result[described](p, "call", named("paper", map[string]any{"gap": 0.4, "case": 2}))
	r := result[described](p, "call", named("fc", map[string]any{"runs": 3}, ref(problem)))
	if r.Type != "result" || r.JSON != "fc" || r.Value != nil {
		t.Errorf("a result is %+v", r)
	}
	s := result[described](p, "call", named("sweep", map[string]any{"gap": []any{0.4, 0.8}}, ref(r)))
	if rows := result[[]map[string]any](p, "value", map[string]any{"name": s.Name, "form": "table"}); len(rows) == 0 || len(rows[0]["cells"].([]any)) != 2 {
		t.Errorf("the sweep of a result by its name has the table %v", rows)
	}
	k := result[described](p, "call", call("rbf", 2))
	sum := result[described](p, "call", call("*", 3, ref(k)))
	if text := result[string](p, "value", map[string]any{"name": sum.Name, "form": "text"}); !strings.Contains(text, "3*rbf(lengthscale=2)") {
		t.Errorf("3 times a kernel prints as %q", text)
	}
	if d := result[described](p, "call", call(".", ref(r), "runs")); d.Value != 3.0 {
		t.Errorf("a part is %+v", d)
	}
	for _, form := range []string{"json", "bundle", "text", "table"} {
		if m := p.request("value", map[string]any{"name": r.Name, "form": form}); m.Error != nil {
			t.Errorf("form %s: %v", form, m.Error.Message)
		}
	}
	// what others are defined by stays until they go
	result[released](p, "release", map[string]any{"names": []string{problem.Name}})
	result[described](p, "call", named("sweep", map[string]any{"gap": []any{0.4}}, ref(r)))
	result[released](p, "release", map[string]any{"names": []string{r.Name, s.Name}})
	if m := p.request("value", map[string]any{"name": r.Name, "form": "json"}); m.Error != nil {
		t.Errorf("a result that a sweep is of: %v", m.Error.Message)
	}
}

// Errors are data: the argument of a call, line and column of a script, and what to do.
func TestErrors(t *testing.T) {
	p := start(t)
	m := p.request("call", named("rbf", map[string]any{"lenghtscale": 1}))
	if m.Error == nil || m.Error.Data.Kind != "mistake" || m.Error.Data.Mistakes[0].Argument != "lenghtscale" || m.Error.Data.Mistakes[0].Hint != `did you mean "lengthscale"?` {
		t.Fatalf("a wrong name is answered by %+v", m.Error)
	}
	m = p.request("call", call("save", 3, ""))
	if m.Error == nil || m.Error.Data.Mistakes[0].Argument != "path" {
		t.Errorf("a path that is empty is answered by %+v", m.Error)
	}
	m = p.request("run", map[string]any{"file": "cell 2", "script": "one = 1\nbad = problem(\"nowhere.csv\")\nnever = 2"})
	if m.Error == nil || len(m.Error.Data.Bound) != 1 || m.Error.Data.Bound[0].Name != "one" {
		t.Errorf("a script that fails in its second line is answered by %+v", m.Error)
	}
	m = p.request("run", map[string]any{"file": "cell 3", "script": "\nk = rbf(0.5) * linaer()"})
	if m.Error == nil || m.Error.Code != int(codeMistake) {
		t.Fatalf("a wrong script is answered by %+v", m)
	}
	if e := m.Error.Data.Mistakes[0]; e.File != "cell 3" || e.Line != 2 || e.Column != 16 || e.Hint != `did you mean "linear"?` || !strings.Contains(m.Error.Data.HTML, "linaer") {
		t.Errorf("the mistake is %+v", e)
	}
	for _, c := range []any{call("nothing_like_it"), call("rbf", map[string]any{"name": "no name"}), call("rbf", json.RawMessage("1e400")), call("rbf", map[string]any{}), call(".", 1, "a b"), call("+", 1), named("rbf", map[string]any{"a b": 1})} {
		if m := p.request("call", c); m.Error == nil || m.Error.Data.Kind != "request" {
			t.Errorf("%v is answered by %+v", c, m)
		}
	}
	if m := p.request("value", map[string]any{"name": "x", "form": "json"}); m.Error == nil || m.Error.Data.Kind != "request" {
		t.Errorf("a name that is not bound is answered by %+v", m)
	}
}

// A script sees tables and values by the names that are bound for it; each display is sent when it is
// made.
func TestScripts(t *testing.T) {
	p := start(t)
	p.block(1, []byte("site,temp,out\na,1,3\na,2,4\nb,1,5\nb,2,4\na,1,3.5\nb,1,5.5\na,2,4.2\nb,2,4.4\n"))
	path := result[string](p, "table", map[string]any{"name": "df", "csv": 1})
	if path != "dataframe/df.csv" {
		t.Errorf("the table is %q", path)
	}
	out := result[ran](p, "run", map[string]any{
		"file": "cell", "bind": map[string]any{"df": path, "eps": 0.5},
		"script": `q = problem(df, task="site", arm="temp", reward="out")` + "\na = best(q, epsilon=eps)\na\nn = 2*3",
	})
	if m := p.request("run", map[string]any{"file": "cell", "bind": map[string]any{"größe": 0.5}, "script": "größe_2 = 2*größe"}); m.Error != nil {
		t.Errorf("a name with an umlaut: %+v", m.Error)
	}
	if len(out.Bound) != 3 || out.Bound[0].Type != "problem" || out.Bound[2].Value != 6.0 {
		t.Errorf("the script bound %+v", out.Bound)
	}
	var shown struct{ Name, Type string }
	for _, m := range p.heard {
		if m.Method == "display" {
			json.Unmarshal(m.Params, &shown)
		}
	}
	if shown.Name != "a" || shown.Type != "best" {
		t.Errorf("shown was %+v", shown)
	}
	found := result[struct{ Items []struct{ Text string } }](p, "complete", map[string]any{"text": "rb", "cursor": 2})
	if len(found.Items) == 0 || found.Items[0].Text != "rbf" {
		t.Errorf("rb is completed by %+v", found)
	}
	text := `problem(frame, task="Ma`
	found = result[struct{ Items []struct{ Text string } }](p, "complete", map[string]any{"text": text, "cursor": len(text), "columns": map[string]any{"frame": []string{"Machine", "Speed"}}})
	if len(found.Items) != 1 || found.Items[0].Text != "Machine" {
		t.Errorf("a column of a table is completed by %+v", found)
	}
	if help := result[map[string]string](p, "inspect", map[string]any{"text": "rbf", "cursor": 3}); !strings.Contains(help["text"], "lengthscale") {
		t.Errorf("help on rbf is %q", help["text"])
	}
}

// Columns of a table are read as CSV would be, whatever their names and labels hold.
func TestColumns(t *testing.T) {
	p := start(t)
	p.block(7, bytesOf([]float64{1, 2, math.NaN(), 4}))
	p.block(8, []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})
	columns := []map[string]any{
		{"name": "out; of, \"it\"", "kind": "f8", "block": 7}, {"name": "arm", "kind": "codes", "block": 8, "labels": []string{"a, b", "say \"c\"; d"}},
	}
	path := result[string](p, "table", map[string]any{"name": "df", "rows": 4, "columns": columns})
	d := result[described](p, "call", named("problem", map[string]any{"arm": "arm", "reward": "out; of, \"it\""}, path))
	about := result[struct {
		Tasks []struct{ Arms []struct{ Arm string } }
	}](p, "value", map[string]any{"name": d.Name, "form": "json"})
	if len(about.Tasks) != 1 || len(about.Tasks[0].Arms) != 2 || about.Tasks[0].Arms[1].Arm != "say \"c\"; d" {
		t.Errorf("the problem has %+v", about)
	}
	for _, wrong := range []map[string]any{
		{"name": "no name", "csv": 1}, {"name": "df", "csv": 99}, {"name": "df", "rows": 2, "columns": []map[string]any{{"name": "x", "kind": "f8", "block": 98}}},
	} {
		if m := p.request("table", wrong); m.Error == nil || m.Error.Data.Kind != "request" {
			t.Errorf("%v is answered by %+v", wrong, m)
		}
	}
	p.block(9, []byte{9, 0, 0, 0})
	if m := p.request("table", map[string]any{"name": "df", "rows": 1, "columns": []map[string]any{{"name": "x", "kind": "codes", "block": 9, "labels": []string{"a"}}}}); m.Error == nil {
		t.Error("a place beyond the labels is taken")
	}
	whole := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1<<53), 1<<53+1)
	p.block(10, whole)
	m := p.request("table", map[string]any{"name": "df", "rows": 2, "columns": []map[string]any{{"name": "x", "kind": "i8", "block": 10}}})
	if m.Error == nil || m.Error.Message != `column "x" has 9007199254740993; whole numbers beyond 2^53 are sent as labels` {
		t.Errorf("a whole number that float64 does not have is answered by %+v", m.Error)
	}
}

// A column of names is another table than the same labels without, which may be numbers.
func TestTextColumn(t *testing.T) {
	p := start(t)
	var paths []string
	for i, text := range []bool{false, true, true} {
		p.block(20+i, []byte{0, 0, 0, 0, 1, 0, 0, 0})
		paths = append(paths, result[string](p, "table", map[string]any{"name": "df", "rows": 2, "columns": []map[string]any{
			{"name": "arm", "kind": "codes", "block": 20 + i, "labels": []string{"3.1", "3.10"}, "text": text}}}))
	}
	if paths[0] == paths[1] || paths[1] != paths[2] {
		t.Errorf("the tables are %q", paths)
	}
	c := column{Name: "arm", Kind: "codes", Labels: []string{"3.1"}, Text: true}
	if f, err := c.decoded(1, []byte{0, 0, 0, 0}); err != nil || !f.Text {
		t.Errorf("the column is %+v, error %v", f, err)
	}
}

// A cancelled request is answered with what was finished, and soon.
func TestCancel(t *testing.T) {
	p := start(t)
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.02}))
	p.send(map[string]any{"id": "long", "method": "call", "params": named("fc", map[string]any{"runs": 100_000}, ref(problem))})
	for done := 0; done < 3; { // some runs are finished
		if m := p.next(); m.Method == "progress" {
			var told progress
			json.Unmarshal(m.Params, &told)
			done = told.Done
		}
	}
	p.send(map[string]any{"method": "cancel", "params": map[string]any{"id": "long"}})
	for {
		m := p.next()
		if m.Method != "" {
			continue
		}
		if m.Error == nil || m.Error.Data.Kind != "interrupted" || m.Error.Data.Partial == nil {
			t.Fatalf("the answer is %+v", m)
		}
		if runs := result[described](p, "call", call(".", ref(*m.Error.Data.Partial), "runs")); runs.Value.(float64) < 1 {
			t.Errorf("%v runs were kept", runs.Value)
		}
		return
	}
}

// Waiting calls are cancelled, too, and all say what they were.
func TestCancelWaiting(t *testing.T) {
	p := start(t)
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.02}))
	ids := []string{`"a"`, `"b"`, `"c"`}
	for _, id := range ids {
		p.send(map[string]any{"id": json.RawMessage(id), "method": "call", "params": named("fc", map[string]any{"runs": 100_000}, ref(problem))})
	}
	for p.next().Method != "progress" { // one of them has begun
	}
	for _, id := range []string{`"b"`, `"c"`, `"a"`} {
		p.send(map[string]any{"method": "cancel", "params": map[string]any{"id": json.RawMessage(id)}})
	}
	for answered := 0; answered < len(ids); {
		if m := p.next(); m.Method == "" {
			answered++
			if m.Error == nil || m.Error.Data.Kind != "interrupted" {
				t.Errorf("call %s is answered by %+v", m.ID, m.Error)
			}
		}
	}
}

// Names that the program does not have any more are not read.
func TestGone(t *testing.T) {
	p := start(t)
	run := func(script string, bind, gone map[string]any) message {
		return p.request("run", map[string]any{"file": "cell", "script": script, "bind": bind, "gone": gone})
	}
	if m := run("x = 2*eps", map[string]any{"eps": 0.5}, nil); m.Error != nil {
		t.Fatal(m.Error.Message)
	}
	m := run("x = 2*eps", nil, map[string]any{"eps": "is None in Python now"})
	if m.Error == nil || m.Error.Data.Mistakes[0].Message != "eps is None in Python now; its earlier value, 0.5, is no longer used" {
		t.Errorf("a name that is gone is answered by %+v", m.Error)
	}
	if m := run("x = 2*eps", map[string]any{"eps": 0.7}, nil); m.Error != nil {
		t.Error(m.Error.Message)
	}
}

// Bytes that are not a message end the server and nothing else.
func TestFaultFrames(t *testing.T) {
	for _, text := range []string{"", "\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Content-Length: 99999999999\r\nBlock: 1\r\n\r\n", "Content-Length: 3\r\nBlock: x\r\n\r\nabc", "Content-Length: 500\r\n\r\n{", "GET / HTTP/1.1\r\n\r\n", "Content-Length: 1000000000\r\nBlock: 1\r\n\r\nab"} {
		out, into := io.Pipe()
		go io.Copy(io.Discard, out)
		done := make(chan struct{})
		go func() { Serve(strings.NewReader(text), into, "test"); close(done) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Errorf("%q: the server waits", text)
		}
	}
	p := start(t)
	if m := p.request("nothing", struct{}{}); m.Error == nil {
		t.Error("a method that there is not is answered")
	}
	fmt.Fprint(p.out, "Content-Length: 4\r\n\r\nnone")
	p.next()
	if d := result[described](p, "call", call("mean", []any{1})); d.Value != 1.0 {
		t.Errorf("after a message that is no JSON: %+v", d)
	}
}

// Wrong notifications are answered, also when the input ends right after them, and leave the rest of a batch.
func TestWrongNotifications(t *testing.T) {
	const right = `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}`
	wrong := []string{
		`{"jsonrpc":"2.0","id":{"a":1},"method":"hello"}`, `{"jsonrpc":"2.0","id":[1],"method":"hello"}`,
		`{"jsonrpc":"2.0","id":true,"method":"hello"}`, `{"jsonrpc":"1.0","method":"hello"}`, `{"method":"hello"}`,
		`{"jsonrpc":"2.0","method":"hello","params":3}`, `{"jsonrpc":"2.0","method":"hello","result":3}`,
		`{"jsonrpc":"2.0","id":null,"method":"hello","more":3}`,
	}
	frame := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	for _, w := range wrong {
		for text, answers := range map[string]int{w: 1, "[" + w + "]": 1, "[" + w + "," + right + "," + w + "]": 2} {
			from, into := io.Pipe()
			go func() {
				// the library decides at random whether the end comes first
				if err := Serve(strings.NewReader(strings.Repeat(frame(text), 50)), into, "test"); err != nil {
					t.Error(err)
				}
				into.Close()
			}()
			out, err := io.ReadAll(from)
			if n := strings.Count(string(out), `"id":null,"error":{"code":-32`); err != nil || n != 50*answers {
				t.Errorf("%s: %d of %d answers, %v", text, n, 50*answers, err)
			}
		}
	}
	p := start(t)
	fmt.Fprint(p.out, frame("["+wrong[0]+","+right+"]"))
	for _, code := range []int{-32600, 0} {
		h := try.Of(p.in.ReadMIMEHeader())
		length, _ := strconv.Atoi(h.Get("Content-Length"))
		text := make([]byte, length)
		try.Of(io.ReadFull(p.in.R, text))
		var batch []message
		if err := json.Unmarshal(text, &batch); err != nil || len(batch) != 1 || (batch[0].Error != nil) != (code != 0) {
			t.Errorf("a batch is answered by %s, %v", text, err)
		}
	}
}
