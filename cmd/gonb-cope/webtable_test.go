package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestWebParquet converts files of pandas, Polars and Arrow in the page and in the command. Then it drops one.
func TestWebParquet(t *testing.T) {
	w := openWebPage(t)
	w.goTo("/")
	files, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(files) < 9 {
		t.Fatalf("files: %q, %v", files, err)
	}
	const unpack = `engine.unpack(Uint8Array.from(atob(%q), c => c.charCodeAt(0))).then(r => r.fault ?? new TextDecoder().decode(r.csv))`
	polars := ""
	for _, name := range files {
		data := try.Of(os.ReadFile(name))
		want := try.Of(parquet.CSV(allowance.New(context.Background(), "the table", 1<<30, allowance.NoLimit), data))
		packed := base64.StdEncoding.EncodeToString(data)
		if strings.HasSuffix(name, "polars-zstd.parquet") {
			polars = packed
		}
		if got := w.eval(fmt.Sprintf(unpack, packed)); got != string(want) {
			t.Errorf("%s: the page has\n%s\nthe command\n%s", name, got, want)
		}
		if got := w.eval(fmt.Sprintf(unpack, base64.StdEncoding.EncodeToString(data[:len(data)/2]))); !strings.HasPrefix(got, "not valid Parquet") {
			t.Errorf("half of %s is read as %s", name, got)
		}
	}
	w.eval(fmt.Sprintf(`void dropped(new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], "runs.parquet"))`, polars))
	w.wait("answer", webAnswered+" && $('columns').caption.textContent === 'runs.parquet: 24 rows'")
	if command := w.eval("reply.command"); !strings.Contains(command, "runs.parquet") {
		t.Errorf("the command is %s", command)
	}
	w.eval(`void dropped(new File(["PAR1 is damaged PAR1"], "bad.parquet"))`)
	w.wait("error", "$('output').innerText.includes('not valid Parquet')")
}

// webTrial has two sites, options of two columns, days, costs and failures.
func webTrial() string {
	b := new(strings.Builder)
	fmt.Fprintln(b, "site;variety;dose;day;price;status;yield")
	for site := range 2 {
		for variety := range 3 {
			for dose := range 3 {
				for day := range 2 {
					status, yield := "ok", fmt.Sprintf("%d,%d", 40+10*variety+5*dose*site+3*day, (7*variety+3*dose+site+5*day)%10)
					if site+variety+dose+day == 5 {
						status, yield = "lost", ""
					}
					if variety == 2 && dose == 2 {
						continue // a combination that was never measured
					}
					fmt.Fprintf(b, "S%d;V%d;%d;D%d;%d;%s;%s\n", site, variety, 10*dose, day, 1+dose, status, yield)
				}
			}
		}
	}
	return b.String()
}

// TestWebControls sets each control of the form. The command that the page then gives must have its flag, and answer alike.
func TestWebControls(t *testing.T) {
	w := openWebPage(t)
	w.goTo("/")
	folder := t.TempDir()
	try.To(os.WriteFile(filepath.Join(folder, "trial.csv"), []byte(webTrial()), 0o666))
	const roles = `for (const s of document.querySelectorAll("#columns select")) s.value = {site: "task", variety: "arm", dose: "arm", yield: "reward"}[s.dataset.column] ?? "";
		for (const i of document.querySelectorAll("#form input")) i.type === "checkbox" ? i.checked = false : i.value = ""; $("goal").value = ""; `
	w.dropFile("trial.csv", []byte(webTrial()))
	w.wait("answer", webAnswered)
	for _, c := range []struct{ name, set, flag string }{
		{"failed", `$("failed").value = "status != 'ok'"`, "--failed"},
		{"only rows", `$("where").value = "day == 'D1'"`, "--where"},
		{"candidates", `$("candidates").value = "all"`, "--candidates all"},
		{"blocks", `document.querySelector("[data-column=day]").value = "blocks"`, "--blocks day"},
		{"cost", `document.querySelector("[data-column=price]").value = "cost"; $("next").value = "9"`, "--cost price"},
		{"overall", `$("overall").checked = true`, "--overall"},
		{"retry", `$("retry").checked = true; $("failed").value = "status != 'ok'"`, "--retry"},
		{"limits", `$("bounded").value = "0,0; 100,0"`, "--bounded 0,100"},
		{"goal", `$("goal").value = "min"`, "--goal min"},
		{"good enough", `$("epsilon").value = "2,5"`, "--epsilon 2.5"},
		{"next", `$("next").value = "4"`, "--next 4"},
	} {
		w.eval(`(() => { reply = {}; ` + roles + c.set + `; $("form").requestSubmit(); })()`)
		w.wait(c.name, webAnswered+" && reply.command")
		command := w.eval("reply.command")
		if !strings.Contains(command, c.flag) {
			t.Errorf("%s: the command is %s", c.name, command)
		}
		got := w.eval(`engine.call({do: "save", format: "json"}).then(r => new TextDecoder().decode(r.data))`)
		run := exec.Command("sh", "-c", command+" --format json")
		run.Dir = folder
		want, err := run.Output()
		if err != nil {
			t.Fatalf("%s: %s: %v", c.name, command, err)
		}
		compareAnswers(t, c.name, []byte(got), want)
	}
}

// TestWebPaste pastes cells of a spreadsheet with German and English numbers.
func TestWebPaste(t *testing.T) {
	w := openWebPage(t)
	w.goTo("/")
	estimates := ""
	for _, cells := range []string{"option\tcost\na\t1234,5\na\t1240,5\nb\t1200\nb\t1190,25", "option\tcost\r\na\t1,234.5\r\na\t1,240.5\r\nb\t1,200.0\r\nb\t1,190.25\r\n"} {
		w.eval(fmt.Sprintf(`(() => { clear(); $("paste").focus(); $("paste").select(); document.execCommand("insertText", false, %q); })()`, cells))
		w.wait("answer", webAnswered+" && $('columns').caption.textContent === 'pasted.tsv: 4 rows'")
		if got := w.text("#output table"); estimates != "" && got != estimates {
			t.Errorf("%q gives %q, but before %q", cells, got, estimates)
		} else {
			estimates = got
		}
	}
	if !strings.Contains(estimates, "1,19") { // b has the mean 1195.125
		t.Errorf("the estimates are %q", estimates)
	}
}

// TestWebRough shows a rough answer while the full one is computed, which replaces it.
func TestWebRough(t *testing.T) {
	w := openWebPage(t)
	w.goTo("/")
	w.eval(`(() => {
		const hold = new Promise(resolve => { window.release = resolve; }), call = engine.call;
		engine.call = async function(q) {
			if (q.do === "best") await hold;
			return call.call(this, q);
		};
		example("pilot");
	})()`)
	w.wait("rough answer", "document.querySelector('#rough') && $('output').innerText.includes('MTBD, tBuXPhos') && !$('working').hidden")
	if out := w.text("#output"); strings.Contains(out, "What to measure next") {
		t.Errorf("the rough answer proposes measurements:\n%s", out)
	}
	w.eval("release()")
	w.wait("full answer", webAnswered+" && !document.querySelector('#rough') && $('output').innerText.includes('What to measure next')")
}

// TestWebEditor looks where mistakes are underlined, and completes a word with the keyboard.
func TestWebEditor(t *testing.T) {
	w := openWebPage(t)
	w.goTo("/")
	w.eval(`($("tab-script").click(), script.value = "ok = 1\nx = print(rfb(2))\n\n  zz + 1\n", script.oninput())`)
	w.wait("marks", "under.querySelectorAll('mark').length === 2 && $('marks').children.length === 2")
	// the place of a word in the text field, from the width of a character and the height of a line
	const place = `(() => { const m = under.querySelectorAll("mark")[%d].getBoundingClientRect(), s = script.getBoundingClientRect(), style = getComputedStyle(script);
		const width = document.createElement("canvas").getContext("2d"); width.font = style.font; const ch = width.measureText("0").width, lh = parseFloat(style.lineHeight);
		return [Math.round((m.left - s.left - parseFloat(style.paddingLeft) - 1) / ch), Math.floor((m.top - s.top - parseFloat(style.paddingTop) - 1 + lh / 4) / lh),
			under.querySelectorAll("mark")[%[1]d].textContent].join(); })()`
	for k, want := range []string{"10,1,rfb", "2,3,zz"} {
		if got := w.eval(fmt.Sprintf(place, k)); got != want {
			t.Errorf("mistake %d is underlined at %s, want %s", k, got, want)
		}
	}
	if why := w.eval(`getComputedStyle(under.querySelector("i"), "::after").content`); !strings.Contains(why, "unknown function") {
		t.Errorf("the end of the line says %s", why)
	}
	w.picture("editor")
	w.eval(`(script.value = "a = 1\nk = per", script.oninput(), script.focus(), script.setSelectionRange(13, 13),
		script.dispatchEvent(new KeyboardEvent("keydown", {key: " ", ctrlKey: true, bubbles: true})))`)
	w.wait("completion", "script.value.startsWith('a = 1\\nk = periodic')")
	w.eval(`(script.value = "a = 1\nk = m", script.oninput(), script.setSelectionRange(11, 11),
		script.dispatchEvent(new KeyboardEvent("keydown", {key: " ", ctrlKey: true, bubbles: true})))`)
	w.wait("list of words", "!$('words').hidden && $('words').children.length > 1")
	w.picture("words")
	if below := w.eval(`(() => { const w = $("words").getBoundingClientRect(), s = script.getBoundingClientRect(); return w.top > s.top + 30 && w.top < s.top + 100; })()`); below != "true" {
		t.Error("the words are not below the cursor")
	}
	second := w.eval(`$("words").children[1].firstChild.textContent`)
	w.eval(`["ArrowDown", "Enter"].forEach(key => script.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})))`)
	if text := w.eval("script.value"); text != "a = 1\nk = "+second {
		t.Errorf("the script is %q, want the word %q", text, second)
	}
	if ch := w.eval("under.textContent === script.value + ' '"); ch != "true" {
		t.Errorf("under the text field is %q", w.eval("under.textContent"))
	}
}
