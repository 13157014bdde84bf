package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// firefox is a window of Firefox, driven by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/).
type firefox struct {
	conn   net.Conn
	in     *bufio.Reader
	number int
	window string
}

// openFirefox opens the page in Firefox, or skips the test where that is missing.
func openFirefox(t *testing.T) *webPage {
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
			t.Fatal("firefox-esr is missing")
		}
		t.Skip("firefox-esr is missing")
	}
	w := serveWebPage(t)
	profile := t.TempDir()
	settings := fmt.Sprintf(`user_pref("browser.download.folderList", 2); user_pref("browser.download.dir", %q);
		user_pref("browser.download.always_ask_before_handling_new_types", false); user_pref("app.normandy.enabled", false);
		user_pref("datareporting.policy.dataSubmissionEnabled", false); user_pref("browser.safebrowsing.downloads.enabled", false);`, w.folder)
	try.To(os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), webLimit)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank")
	c.Env = append(os.Environ(), "HOME="+profile, "MOZ_DISABLE_CONTENT_SANDBOX=1")
	lines, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	address := ""
	out := bufio.NewScanner(lines)
	for address == "" && out.Scan() {
		_, address, _ = strings.Cut(out.Text(), "WebDriver BiDi listening on ws://")
	}
	go io.Copy(io.Discard, lines)
	f, err := dialFirefox(address)
	if err != nil {
		t.Fatalf("firefox-esr at %q: %v", address, err)
	}
	t.Cleanup(func() { f.conn.Close() })
	w.evaluate, w.navigate = f.evaluate, func(url string) error {
		_, err := f.call("browsingContext.navigate", map[string]any{"context": f.window, "url": url, "wait": "complete"})
		return err
	}
	return w
}

// dialFirefox begins a session, and finds the window.
func dialFirefox(address string) (*firefox, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	f := &firefox{conn: conn, in: bufio.NewReader(conn)}
	fmt.Fprintf(conn, "GET /session HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", address)
	if r, err := http.ReadResponse(f.in, nil); err != nil || r.StatusCode != http.StatusSwitchingProtocols {
		return nil, errors.Join(err, errors.New("no WebSocket"))
	}
	if _, err := f.call("session.new", map[string]any{"capabilities": map[string]any{}}); err != nil {
		return nil, err
	}
	tree, err := f.call("browsingContext.getTree", map[string]any{})
	if err != nil {
		return nil, err
	}
	var windows struct{ Contexts []struct{ Context string } }
	if err := json.Unmarshal(tree, &windows); err != nil || len(windows.Contexts) == 0 {
		return nil, fmt.Errorf("no window in %s", tree)
	}
	f.window = windows.Contexts[0].Context
	return f, nil
}

// call sends a command, and waits for its result.
func (f *firefox) call(method string, params any) (json.RawMessage, error) {
	f.number++
	text, err := json.Marshal(map[string]any{"id": f.number, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	// one frame of text; Firefox refuses a mask of zeros
	frame := []byte{0x81, 0x80 | byte(min(len(text), 126))}
	switch {
	case len(text) >= 1<<16:
		frame[1]++
		frame = binary.BigEndian.AppendUint64(frame, uint64(len(text)))
	case len(text) >= 126:
		frame = binary.BigEndian.AppendUint16(frame, uint16(len(text)))
	}
	frame = append(frame, 1, 1, 1, 1)
	for _, b := range text {
		frame = append(frame, b^1)
	}
	if _, err := f.conn.Write(frame); err != nil {
		return nil, err
	}
	for {
		text, err := f.receive()
		if err != nil {
			return nil, err
		}
		var reply struct {
			ID             int
			Result         json.RawMessage
			Error, Message string
		}
		if err := json.Unmarshal(text, &reply); err != nil {
			return nil, err
		}
		if reply.ID == f.number && reply.Error != "" {
			return nil, fmt.Errorf("%s: %s: %s", method, reply.Error, reply.Message)
		} else if reply.ID == f.number {
			return reply.Result, nil
		}
	}
}

// receive reads one message, which may have several frames.
func (f *firefox) receive() (text []byte, err error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(f.in, head[:]); err != nil {
			return nil, err
		}
		size := uint64(head[1])
		if extended := map[uint64]int{126: 2, 127: 8}[size]; extended > 0 {
			var long [8]byte
			if _, err := io.ReadFull(f.in, long[8-extended:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(long[:])
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(f.in, part); err != nil {
			return nil, err
		}
		if text = append(text, part...); head[0]&0x80 != 0 {
			return text, nil
		}
	}
}

// evaluate returns the text of a value of the page.
func (f *firefox) evaluate(expression string) (string, error) {
	result, err := f.call("script.evaluate", map[string]any{"expression": expression, "target": map[string]any{"context": f.window},
		"awaitPromise": true, "userActivation": true})
	if err != nil {
		return "", err
	}
	var value struct {
		Type   string
		Result struct{ Value string }
	}
	if err := json.Unmarshal(result, &value); err != nil || value.Type != "success" {
		return "", fmt.Errorf("%v: %s", err, result)
	}
	return value.Result.Value, nil
}

// TestWebFirefox goes from a dropped table to a downloaded report, with and without a network, and carries a campaign to a folder and back.
func TestWebFirefox(t *testing.T) {
	w := openFirefox(t)
	table := try.Of(os.ReadFile("../../notebooks/data/pilot-runs.csv"))
	w.goTo("/index.html")
	w.dropFile("pilot-runs.csv", table)
	w.wait("answer", webAnswered)
	t.Logf("answer: %s", w.text("#status"))
	w.eval(`document.querySelector("[data-save=html]").click()`)
	if report := string(w.downloaded("pilot-runs.html")); !strings.Contains(report, "MTBD, tBuXPhos") {
		t.Errorf("the report has %d bytes, without the recommendation", len(report))
	}
	w.campaign()
	w.wait("files kept", webFilesKept)
	w.server.Close()
	w.goTo("/index.html")
	w.dropFile("offline.csv", table)
	w.wait("answer without a network", webAnswered)
	w.eval(`document.querySelector("[data-save=html]").click()`)
	if report := string(w.downloaded("offline.html")); !strings.Contains(report, "MTBD, tBuXPhos") {
		t.Errorf("without a network the report has %d bytes, without the recommendation", len(report))
	}
}
