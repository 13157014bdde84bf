package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	webListed   = "document.querySelector('#working').hidden && !document.querySelector('#results').hidden"
	webIDs      = "[...document.querySelectorAll('#list tbody th')].map(c => c.textContent).join()"
	webFillings = `document.querySelectorAll("#list input").forEach((input, k) => input.value = 80 + k)`
)

// dropFile drops a file with a text on the page.
func (w *webPage) dropFile(name string, text []byte) {
	w.t.Helper()
	quoted, _ := json.Marshal(string(text))
	w.eval(fmt.Sprintf(`(() => { const data = new DataTransfer(); data.items.add(new File([%s], %q));
		document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); })()`, quoted, name))
}

// downloaded waits for a downloaded file.
func (w *webPage) downloaded(name string) []byte {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if data, err := os.ReadFile(filepath.Join(w.folder, name)); err == nil && len(data) > 0 {
			return data
		}
	}
	w.t.Fatalf("%s was not downloaded", name)
	return nil
}

// statusOf returns the state of a campaign that the command prints, without the name of the folder.
func statusOf(t *testing.T, dir string) string {
	t.Helper()
	return strings.ReplaceAll(gonbCope(t, "campaign", "status", dir, "--json"), dir, "")
}

// gonbCope runs the command, and returns what it prints.
func gonbCope(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("gonb-cope", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("gonb-cope %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestWebCampaign(t *testing.T) { openWebPage(t).campaign() }

// campaign carries a campaign from the page to a folder and back: the lists and the states agree, and the browser keeps the campaign.
func (w *webPage) campaign() {
	t := w.t
	w.goTo("/index.html?example=pilot")
	w.wait("example", webAnswered)
	w.eval(`(number, document.querySelector("#each").value = "6", document.querySelector("#begin").click())`)
	w.wait("list", webListed)
	first := w.eval(webIDs)
	if n := len(strings.Split(first, ",")); n != 6 {
		t.Fatalf("the first list has %d measurements: %s", n, first)
	}
	w.eval(webFillings)
	w.eval(`document.querySelector("#results").requestSubmit()`)
	w.wait("the next list", webListed+" && !document.querySelector('#list').innerText.includes('"+strings.Split(first, ",")[0]+"')")
	t.Logf("next list: %s", w.text("#status"))
	second := w.eval(webIDs)
	w.eval(`document.querySelector("#save-record").click()`)
	kept := w.downloaded("pilot.jsonl")

	dir := filepath.Join(t.TempDir(), "pilot")
	file := dir + ".jsonl"
	try.To(os.WriteFile(file, kept, 0o666))
	gonbCope(t, "campaign", "import", file)
	var list struct{ Rows []struct{ ID string } }
	try.To(json.Unmarshal([]byte(gonbCope(t, "campaign", "ask", dir, "--by", "browser", "--json")), &list))
	sheet, ids := "id,reward\n", []string{}
	for _, r := range list.Rows {
		ids = append(ids, r.ID)
		sheet += r.ID + ",70\n"
	}
	if strings.Join(ids, ",") != second {
		t.Errorf("the page lists %s, the folder %v", second, ids)
	}
	var status struct {
		Tasks []struct{ Task, Leader string }
	}
	if err := json.Unmarshal([]byte(statusOf(t, dir)), &status); err != nil || len(status.Tasks) != 3 {
		t.Errorf("status: %v, %+v", err, status)
	}
	shown := w.text("#output")
	for _, x := range status.Tasks {
		if !strings.Contains(shown, x.Task) {
			t.Errorf("the page does not show %+v in\n%s", x, shown)
		}
	}
	try.To(os.WriteFile(dir+".csv", []byte(sheet), 0o666))
	gonbCope(t, "campaign", "tell", dir, dir+".csv", "--by", "Ann")
	gonbCope(t, "campaign", "export", dir, "--record", file)
	more := try.Of(os.ReadFile(file))
	w.dropFile("pilot.jsonl", more)
	w.wait("the list after the results of the folder", webListed+" && !document.querySelector('#list').innerText.includes('"+ids[0]+"')")
	third := w.eval(webIDs)

	w.goTo("/index.html")
	w.wait("the kept campaign", "!document.querySelector('#continue').hidden")
	w.eval(`document.querySelector("#continue").click()`)
	w.wait("its list", webListed)
	if again := w.eval(webIDs); again != third {
		t.Errorf("after a reload the page lists %s instead of %s", again, third)
	}
	w.eval(`(confirm = () => true)`)
	w.dropFile("pilot.jsonl", []byte(strings.Replace(string(more), `"reward":80`, `"reward":81`, 1)))
	w.wait("the refusal", "document.querySelector('#output').innerText.includes('was changed')")
}
