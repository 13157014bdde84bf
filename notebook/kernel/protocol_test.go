package kernel

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/zmtp"
)

func TestKernelInfo(t *testing.T) {
	f := start(t)
	for _, ch := range []jupyter.Channel{jupyter.ShellChannel, jupyter.ControlChannel} {
		reply := f.ask(ch, "kernel_info_request", struct{}{})
		language := reply["language_info"].(map[string]any)
		if reply["status"] != "ok" || reply["protocol_version"] != "5.3" || language["name"] != "go" || language["file_extension"] != ".go" {
			t.Errorf("%s: %v", ch, reply)
		}
	}
	ports := f.ask(jupyter.ShellChannel, "connect_request", struct{}{})
	if ports["shell_port"] != 1.0 || ports["hb_port"] != 5.0 {
		t.Errorf("connect_reply %v", ports)
	}
}

// What a front end relies on in every message.
func TestHeaders(t *testing.T) {
	f := start(t)
	r := f.execute("%%cope\n1+1").ok(t)
	sessions := map[string]bool{}
	for _, m := range f.published(r.request) {
		sessions[m.Header.Session] = true
		if m.Header.Session == r.request.Header.Session {
			t.Errorf("%s carries the front end's session", m.Header.Type)
		}
		if at, err := time.Parse(time.RFC3339Nano, m.Header.Date); err != nil || at.Nanosecond() == 0 {
			t.Errorf("%s: date %q has no fraction of a second (%v)", m.Header.Type, m.Header.Date, err)
		}
		if m.Parent != r.request.Header {
			t.Errorf("%s: parent %+v, want %+v", m.Header.Type, m.Parent, r.request.Header)
		}
		if topic := string(m.Identities[0]); !strings.HasPrefix(topic, "kernel.") || !strings.HasSuffix(topic, "."+m.Header.Type) {
			t.Errorf("%s: topic %q", m.Header.Type, topic)
		}
	}
	if len(sessions) != 1 {
		t.Errorf("sessions %v, want one", sessions)
	}
	if got := kinds(f.published(r.request)); !slices.Equal(got, []string{"status", "execute_input", "execute_result", "status"}) {
		t.Errorf("published %v", got)
	}
}

func TestStartingIsPublished(t *testing.T) {
	f := start(t)
	f.await(&jupyter.Message{}, "starting", func(all []*jupyter.Message) bool {
		return slices.ContainsFunc(all, func(m *jupyter.Message) bool { return strings.Contains(string(m.Content), `"starting"`) })
	})
}

func TestHeartbeat(t *testing.T) {
	f := start(t)
	conn := try.Of(net.Dial("unix", f.conn.IP+"-5"))
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(waitLimit))
	beat := try.Of(zmtp.Open(conn, zmtp.Req, ""))
	for _, text := range []string{"ping", ""} {
		try.To(errors.Join(beat.Send([][]byte{{}, []byte(text)}), beat.Flush()))
		if back, err := beat.Receive(1 << 10); err != nil || len(back) != 2 || string(back[1]) != text {
			t.Errorf("sent %q, got %q (%v)", text, back, err)
		}
	}
}

func TestSilentExecution(t *testing.T) {
	f := start(t)
	content := executeContent("%%cope\nx = 2\nx")
	content["silent"] = true
	r := f.finish(f.send(jupyter.ShellChannel, "execute_request", content))
	if got := kinds(f.published(r.request)); !slices.Equal(got, []string{"status", "status"}) {
		t.Errorf("a silent execution published %v", got)
	}
	if r.reply["execution_count"] != 0.0 {
		t.Errorf("execution_count %v, want 0", r.reply["execution_count"])
	}
	if r := f.execute("%%cope\nx").ok(t); r.reply["execution_count"] != 1.0 || dataOf(r.of(t, "execute_result")[0])["text/plain"] != "x = 2" {
		t.Errorf("%v %v", r.reply, r.of(t, "execute_result"))
	}
}

func TestEmptyCell(t *testing.T) {
	f := start(t)
	for i, code := range []string{"", "  \n\t", "%%cope", "%%cope\n// a comment"} {
		r := f.execute(code).ok(t)
		if len(r.outputs) != 0 || r.reply["execution_count"] != float64(i+1) {
			t.Errorf("%q: %v %v", code, kinds(r.outputs), r.reply)
		}
	}
}

// After an error, what had arrived before its reply is aborted, and what comes after
// is not.
func TestAbortAfterError(t *testing.T) {
	f := start(t)
	aborted := 0
	for try := 0; aborted == 0; try++ { // cells that come after the reply of the bad one are not waiting for it
		if try == 100 {
			t.Fatal("nothing was aborted")
		}
		var waiting []*jupyter.Message
		bad := f.submit("%%cope\npaper(case=9, gap=0.1)")
		for range 5 {
			waiting = append(waiting, f.submit("%%cope\n1"))
		}
		if r := f.finish(bad); r.reply["status"] != "error" {
			t.Fatalf("%v", r.reply)
		}
		for _, m := range waiting {
			r := f.finish(m)
			if r.reply["status"] == "aborted" {
				aborted++
				if len(r.reply) != 1 {
					t.Errorf("a cell that did not run has the reply %v", r.reply)
				}
			}
			if got := kinds(f.published(m)); r.reply["status"] == "aborted" && !slices.Equal(got, []string{"status", "status"}) {
				t.Errorf("an aborted cell published %v", got)
			}
		}
	}
	f.execute("%%cope\n1").ok(t)
	for i := range 200 { // an innocent cell right after a failure
		f.finish(f.submit("%%cope\nnope"))
		if r := f.execute("%%cope\n1"); r.reply["status"] != "ok" {
			t.Fatalf("try %d: a cell sent after the failure was %v", i, r.reply["status"])
		}
	}
	content := executeContent("%%cope\nnope")
	content["stop_on_error"] = false
	first, second := f.send(jupyter.ShellChannel, "execute_request", content), f.submit("%%cope\n1")
	f.finish(first)
	if r := f.finish(second); r.reply["status"] != "ok" {
		t.Errorf("with stop_on_error false: %v", r.reply)
	}
}

func TestIsComplete(t *testing.T) {
	f := start(t)
	for code, want := range map[string]string{
		"%%cope\nx = rbf(0.5)":              "complete",
		"%%cope\nx = rbf(":                  "incomplete",
		"%%cope\nx = rbf(0.5))":             "invalid",
		"%%cope\nrbf?":                      "complete",
		"%%cope more":                       "invalid",
		"x := 1":                            "invalid",
		"func f() {":                        "incomplete",
		"func f() {\n\treturn\n}":           "complete",
		"%%\nfmt.Println(1)":                "complete",
		"%%\nfor {":                         "incomplete",
		"%%\nfmt.Println(1))":               "invalid",
		"!ls -l\n%env A B":                  "complete",
		"import (\n\t\"fmt\"":               "incomplete",
		"//gonb:%%\nx := 1\nfmt.Println(x)": "complete",
		"var s = `raw\ntext":                "incomplete",
		"/* abc":                            "incomplete",
		"!ls \\":                            "incomplete",
		"":                                  "complete",
		"// only a comment":                 "complete",
		"type T struct {\n\tA int\n}\n%%\nvar _ T": "complete",
	} {
		if got := f.ask(jupyter.ShellChannel, "is_complete_request", map[string]string{"code": code}); got["status"] != want {
			t.Errorf("%q is %v, want %s", code, got["status"], want)
		}
	}
	if got := f.ask(jupyter.ShellChannel, "is_complete_request", map[string]string{"code": "func f() {"}); got["indent"] != "\t" {
		t.Errorf("indent %q, want a tab", got["indent"])
	}
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.jsonl")
	first := start(t, "TEST_HISTORY="+file)
	cells := []string{"%%cope\n1+1", "%%cope\nx = 5", "%%cope\n1+1"}
	for _, c := range cells {
		first.execute(c).ok(t)
	}
	inputs := func(f *front, request map[string]any) []string {
		t.Helper()
		var list []string
		for _, e := range f.ask(jupyter.ShellChannel, "history_request", request)["history"].([]any) {
			list = append(list, fmt.Sprint(e.([]any)[0], " ", e.([]any)[1], " ", e.([]any)[2]))
		}
		return list
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("tail", inputs(first, map[string]any{"hist_access_type": "tail", "n": 2}), "1 2 %%cope\nx = 5", "1 3 %%cope\n1+1")
	check("range", inputs(first, map[string]any{"hist_access_type": "range", "session": 0, "start": 2, "stop": 3}), "1 2 %%cope\nx = 5")
	check("search", inputs(first, map[string]any{"hist_access_type": "search", "pattern": "*1+?"}), "1 1 %%cope\n1+1", "1 3 %%cope\n1+1")
	check("unique", inputs(first, map[string]any{"hist_access_type": "search", "pattern": "*1+1", "unique": true}), "1 3 %%cope\n1+1")
	check("output", inputs(first, map[string]any{"hist_access_type": "tail", "n": 1, "output": true}), "1 3 [%%cope\n1+1 2]")
	first.end()
	second := start(t, "TEST_HISTORY="+file) // another process: it was kept on disk
	second.execute("%%cope\n7").ok(t)
	check("session before", inputs(second, map[string]any{"hist_access_type": "range", "session": -1, "start": 1, "stop": 3}), "1 1 %%cope\n1+1", "1 2 %%cope\nx = 5")
	check("this session", inputs(second, map[string]any{"hist_access_type": "range", "session": 0, "start": 1}), "2 1 %%cope\n7")
}

func TestCommInfo(t *testing.T) {
	f := start(t)
	if got := f.ask(jupyter.ShellChannel, "comm_info_request", struct{}{}); got["status"] != "ok" || len(got["comms"].(map[string]any)) != 0 {
		t.Errorf("%v", got)
	}
	open := f.send(jupyter.ShellChannel, "comm_open", map[string]any{"comm_id": "c1", "target_name": "jupyter.widget", "data": map[string]any{}})
	f.await(open, "idle after comm_open", hasIdle)
	for target, want := range map[string]int{"jupyter.widget": 1, "other": 0} {
		if got := f.ask(jupyter.ShellChannel, "comm_info_request", map[string]string{"target_name": target}); len(got["comms"].(map[string]any)) != want {
			t.Errorf("%s: %v, want %d", target, got, want)
		}
	}
	f.await(f.send(jupyter.ShellChannel, "comm_close", map[string]any{"comm_id": "c1", "data": map[string]any{}}), "idle after comm_close", hasIdle)
	if got := f.ask(jupyter.ShellChannel, "comm_info_request", struct{}{}); len(got["comms"].(map[string]any)) != 0 {
		t.Errorf("after comm_close: %v", got)
	}
}

func TestDebugAndUnknownRequests(t *testing.T) {
	f := start(t)
	if got := f.ask(jupyter.ControlChannel, "debug_request", map[string]any{"type": "request", "seq": 7, "command": "debugInfo"}); got["success"] != false || got["request_seq"] != 7.0 {
		t.Errorf("%v", got)
	}
	m := f.send(jupyter.ShellChannel, "no_such_request", struct{}{})
	f.await(m, "idle after an unknown request", hasIdle)
	// not an object
	f.client.Send(jupyter.ShellChannel, f.client.Session().New("execute_request", nil, []int{1}))
	f.execute("%%cope\n1").ok(t)
}

func TestShutdown(t *testing.T) {
	for _, restart := range []bool{false, true} {
		f := start(t)
		if got := f.ask(jupyter.ControlChannel, "shutdown_request", map[string]bool{"restart": restart}); got["status"] != "ok" || got["restart"] != restart {
			t.Errorf("%v", got)
		}
		f.awaitExit()
		if code := f.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("exit status %d", code)
		}
	}
}

// A message that is not signed with the key must neither be obeyed nor stop the kernel.
func TestBadSignature(t *testing.T) {
	f := start(t)
	forged := front{t: t, conn: f.conn, stderr: f.stderr}
	forged.conn.Key = "wrong"
	c := forged.connect()
	defer c.Close()
	c.Send(jupyter.ShellChannel, c.Session().New("execute_request", nil, executeContent("%%cope\nforged = 1")))
	c.Send(jupyter.ControlChannel, c.Session().New("shutdown_request", nil, map[string]bool{"restart": false}))
	f.execute("%%cope\n1").ok(t)
	if r := f.execute("%%cope\nforged"); r.reply["status"] != "error" {
		t.Error("a forged cell was executed")
	}
}

func TestUserExpressions(t *testing.T) {
	f := start(t)
	content := executeContent("%%cope\nx = 6")
	content["user_expressions"] = map[string]string{"good": "x*7", "bad": "y"}
	reply := f.finish(f.send(jupyter.ShellChannel, "execute_request", content)).ok(t).reply["user_expressions"].(map[string]any)
	good, bad := reply["good"].(map[string]any), reply["bad"].(map[string]any)
	if good["status"] != "ok" || dataOf(good)["text/plain"] != "42" || bad["status"] != "error" || !strings.Contains(bad["evalue"].(string), `unknown name "y"`) {
		t.Errorf("good %v\nbad %v", good, bad)
	}
}

// Without Go cells there is no GoNB, and the kernel is small and quick.
func TestPureCopeStartsNoGoNB(t *testing.T) {
	f := start(t, "PATH=") // not even go can be found
	f.execute("%%cope\nbounds(paper(case=1, gap=0.1), xi=1e-6)").ok(t)
	if below := descendants(f.cmd.Process.Pid); len(below) > 0 {
		t.Errorf("processes below the kernel: %v", below)
	}
	r := f.execute("%%\nfmt.Println(1)")
	if r.reply["status"] != "error" || !regexp.MustCompile(`go\b.*(was not found|not.*PATH)|install`).MatchString(fmt.Sprint(r.reply["evalue"], r.reply["traceback"])) {
		t.Errorf("a Go cell without go: %v", r.reply)
	}
	f.execute("%%cope\n1").ok(t)
}
