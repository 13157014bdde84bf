package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// README shows the program's output: the beginning of an answer, its picture, and a table of methods. With -update they are
// written again. The lower bound of the table takes a minute and a half, so make simulations compares it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := readReadme(t)
	command := r.block("# gonb-cope", "sh")
	r.replace("```\n", "```\n", "## Read the answer", paragraphs(r.run(command), 3))
	if *update || os.Getenv("GONB_COPE_WHOLE") == "1" {
		script := r.block("## Types of guarantee", "cope")
		r.replace("<!-- methods -->\n", "<!-- end -->", "## Types of guarantee", methodTable(r, script))
	}
	r.picture(command)
	if *update {
		r.write()
	}
}

// readme is the text of README, with the folder of the repository.
type readme struct {
	t          *testing.T
	root, text string
}

func readReadme(t *testing.T) *readme {
	t.Helper()
	root := try.Of(filepath.Abs("../.."))
	data := try.Of(os.ReadFile(filepath.Join(root, "README.md")))
	return &readme{t: t, root: root, text: string(data)}
}

// block returns the first block of code in a language after a heading.
func (r *readme) block(heading, language string) string {
	r.t.Helper()
	_, after, found := strings.Cut(r.text, heading+"\n")
	_, text, begun := strings.Cut(after, "```"+language+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !found || !begun || !closed {
		r.t.Fatalf("README has no block ```%s under %q", language, heading)
	}
	return text
}

// replace compares the text between two marks, after a heading, with the text that the program gives, which replaces it. The first
// mark begins a paragraph.
func (r *readme) replace(begin, end, heading, want string) {
	r.t.Helper()
	head, after, found := strings.Cut(r.text, heading+"\n")
	before, rest, begun := strings.Cut(after, "\n\n"+begin)
	got, tail, closed := strings.Cut(rest, end)
	if !found || !begun || !closed {
		r.t.Fatalf("README has no place for output under %q", heading)
	}
	if got != want && !*update {
		r.t.Errorf("README differs from the program under %q (make readme writes it again); the program gives:\n%s", heading, want)
	}
	r.text = head + heading + "\n" + before + "\n\n" + begin + want + end + tail
}

// run runs a shell command in the folder of the repository.
func (r *readme) run(command string) string {
	r.t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = r.root
	out, err := c.Output()
	if err != nil {
		r.t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

// displays runs a script beside the data of README's scripts and returns the values that it displays, as JSON.
func (r *readme) displays(script string) []json.RawMessage {
	r.t.Helper()
	file := filepath.Join(r.root, "notebooks", "readme.cope")
	try.To(os.WriteFile(file, []byte(script), 0o600))
	defer os.Remove(file)
	var document struct {
		Displays []struct{ Value json.RawMessage }
	}
	try.To(json.Unmarshal([]byte(r.run("gonb-cope run notebooks/readme.cope --format json")), &document))
	var out []json.RawMessage
	for _, d := range document.Displays {
		out = append(out, d.Value)
	}
	return out
}

// picture compares README's picture with the program's figure of the answer that README shows.
func (r *readme) picture(command string) {
	r.t.Helper()
	folder := r.t.TempDir()
	column := func(flag string) []string {
		var out []string
		for _, found := range regexp.MustCompile(`--`+flag+` ("[^"]*"|\S+)`).FindAllStringSubmatch(command, -1) {
			out = append(out, fmt.Sprintf("%q", strings.Trim(found[1], `"`)))
		}
		return out
	}
	script := fmt.Sprintf(`p = problem(data="data/pilot-runs.csv", task=%s, arm=[%s], reward=%s, bounded=[0, 100])
plot(best(p, epsilon=5, next=6), file=%q)`,
		column("task")[0], strings.Join(column("arm"), ", "), column("reward")[0], filepath.Join(folder, "best.svg"))
	r.displays(script)
	want := try.Of(os.ReadFile(filepath.Join(folder, "best.svg")))
	file := filepath.Join(r.root, "docs", "best.svg")
	if got, _ := os.ReadFile(file); bytes.Equal(got, want) {
		return
	}
	if !*update {
		r.t.Error("docs/best.svg differs from the program's figure: make readme writes it again")
	} else if err := os.WriteFile(file, want, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// write replaces README.
func (r *readme) write() {
	r.t.Helper()
	try.To(os.WriteFile(filepath.Join(r.root, "README.md"), []byte(r.text), 0o644))
}

// paragraphs returns the first paragraphs of an output, without the title of a script and its first call, and … if more follows.
func paragraphs(output string, count int) string {
	if _, body, found := strings.Cut(output, "\n── "); found {
		_, output, _ = strings.Cut(body, "\n")
	}
	all := strings.Split(strings.TrimSpace(output), "\n\n")
	if count < len(all) {
		all = append(all[:count], "…")
	}
	return strings.Join(all, "\n\n") + "\n"
}

// methodTable runs the script of README by several algorithms. Its rows have what each took.
func methodTable(r *readme, script string) string {
	r.t.Helper()
	methods := []struct{ algorithm, name, assumes string }{
		{"CoBayesFC", "posterior probability", "the rewards follow the kernel, whose scales are fitted to the data"},
		{"CoTestFC", "sequential test", "normal noise; shares no data between reactions here, because this kernel can represent any rewards"},
		{"IndUniformFC", "the same test, each option measured equally often", "normal noise; shares no data"},
		{"CoKernelFC", "Theorem 1 of the paper", "noise with light tails (sub-Gaussian) and a known scale; a known bound on the norm; shares data between reactions"},
	}
	before, call, _ := strings.Cut(script, "\nr = ")
	call, _, _ = strings.Cut(call, ")")
	for _, m := range methods {
		before += fmt.Sprintf("\n%s, algorithm=%q)", call, m.algorithm)
	}
	var out strings.Builder
	out.WriteString("| `algorithm=` | type of guarantee | it assumes | measurements per reaction |\n|---|---|---|---|\n")
	for i, value := range r.displays(before + "\n") {
		var result struct {
			SamplesPerAgent struct {
				Mean float64
				CI95 [2]float64
			} `json:"samples_per_agent"`
			Standing string
		}
		try.To(json.Unmarshal(value, &result))
		if m, s := methods[i], result.SamplesPerAgent; result.Standing != "heuristic" {
			r.t.Errorf("README says that no row is proven, and %s is %s", m.algorithm, result.Standing)
		} else {
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s [%s, %s] |\n",
				m.algorithm, m.name, m.assumes, thousands(s.Mean), thousands(s.CI95[0]), thousands(s.CI95[1]))
		}
	}
	return out.String()
}

// thousands writes a number without decimals, with commas.
func thousands(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Each number in README's prose has a source that this test reads.
func TestReadmeNumbers(t *testing.T) {
	r := readReadme(t)
	checked := r.numbers()
	prose := regexp.MustCompile("(?s)```.*?```|<!-- methods -->.*?<!-- end -->|`[^`\n]*`|\\]\\([^)]*\\)").ReplaceAllString(r.text, " ")
	for _, number := range regexp.MustCompile(`\d[\d.,]*`).FindAllString(prose, -1) {
		if number = strings.Trim(number, ".,"); len(number) > 1 && !slices.Contains(checked, number) {
			t.Errorf("nothing checks the number %s in README", number)
		}
	}
	if lines := strings.Count(r.text, "\n"); lines > 130 {
		t.Errorf("README has %d lines, more than 130", lines)
	}
}

// numbers returns the numbers that README may have in its prose, from their sources.
func (r *readme) numbers() []string {
	r.t.Helper()
	read := func(file, pattern string) string {
		r.t.Helper()
		data := try.Of(os.ReadFile(filepath.Join(r.root, file)))
		found := regexp.MustCompile(pattern).FindSubmatch(data)
		if found == nil {
			r.t.Fatalf("%s has no %s", file, pattern)
		}
		return string(found[1])
	}
	version := read("tools/release/main.go", `"version", "(\d+\.\d+\.\d+)`)
	var tasks, yields []string
	for i, line := range strings.Split(read("notebooks/data/cn_coupling_raw.csv", `(?s)\n(.*\S)`), "\n") {
		yields = append(yields, fmt.Sprint(i))
		if task, _, _ := strings.Cut(line, ","); !slices.Contains(tasks, task) {
			tasks = append(tasks, task)
		}
	}
	return []string{version, read("go.mod", `\ngo (\d+\.\d+)`), fmt.Sprint(len(tasks)), fmt.Sprint(len(yields)),
		read("Makefile", `largest = (\d+)`)[:3] + ",000", // arms of make bench-scale
		"95",       // per cent: delta=0.05 of the script, and intervals
		"10",       // epsilon of the script
		"20",       // runs of the script
		"2023",     // the paper
		"86", "64", // x86-64
	}
}
