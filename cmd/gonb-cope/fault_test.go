package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// often returns how many times a fault is tried: all of them for make faults, else a tenth, and a
// hundredth where tests are to be short.
func often(all int) int {
	switch {
	case os.Getenv("GONB_COPE_FAULTS") != "":
		return all
	case testing.Short():
		return 1 + all/200
	}
	return 1 + all/10
}

// leak matches text that no user should see.
var leak = regexp.MustCompile(`panic|goroutine|%!|\bfloat64\b|interface \{\}|\*(?:dsl|engine|sim)\.|runtime error|fatal error|please report it`)

// attempt runs the real command in a folder. After a minute it is interrupted, which must stop it
// within another; it must end with 0 or 1, and say why it failed.
func attempt(t *testing.T, folder string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "gonb-cope", args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	c.Dir = folder
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		if strings.TrimSpace(errs.String()) == "" {
			t.Errorf("gonb-cope %s: status 1 without a message", strings.Join(args, " "))
		}
	case err != nil && ctx.Err() == nil || errors.Is(err, exec.ErrWaitDelay):
		t.Errorf("gonb-cope %s: %v\n%.2000s", strings.Join(args, " "), err, errs.String())
	}
	if found := leak.FindString(out.String() + errs.String()); found != "" {
		t.Errorf("gonb-cope %s: the output contains %q\n%.2000s", strings.Join(args, " "), found, errs.String())
	}
}

// handMade returns scripts written to do harm.
func handMade() []string {
	out := []string{
		"", " ", "\n\n", "\ufeff", "\ufeff1", "\x00", "1\x00", "\r", "1\r2\r", "\xff\xfe1\x00", "\xff", "1 \xc3", "\u202e1", "\u200b", "a\u0301 = 1\na\u0301", "é = 1; é", "ａ = 1",
		"(", ")", "[", "]", "{", "}", "'", "\"", "`", "/*", "*/", "//", ";", ";;;", ",", ".", "..", "1..", "..1", "1...3", "=", "a =", "= 1", "a = a", "a = b; b = a", "a == 1", "let x = 1; x", "1 |> sum", "a?.b", "a ?? 1", "map([1], # + 1)", "{a: 1}", "#", "$env",
		"1e999", "-1e999", "1e-999", strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1", "0x", "1_", "1e", "0/0", "1/0", "0^-1", "(-1)^0.5", "2^2^2^2^2^2",
		strings.Repeat("(", 10_000), strings.Repeat("(", 2_000) + "1" + strings.Repeat(")", 2_000), strings.Repeat("[", 10_000), strings.Repeat("-", 10_000) + "1", strings.Repeat("1+", 20_000) + "1", strings.Repeat("f(", 3_000), "\"" + strings.Repeat("a", 1_000_000) + "\"", strings.Repeat("a", 100_000) + " = 1",
		"fc()", "fc(1)", "fc(fc)", "fc(paper(1), paper(1))", "fc(paper(0))", "fc(paper(1), runs=0)", "fc(paper(1), runs=-1)", "fc(paper(1), runs=1.5)", "fc(paper(1), delta=0)", "fc(paper(1), delta=1)", "fc(paper(1), delta=-1)", "fb(paper(1))", "fb(paper(1), budget=0)", "fb(paper(1), budget=1e300)", "fc(paper(1), algorithm=\"\")", "fc(paper(1), algorithm=\"\\u0000\")", "fc(paper(1), seed=-1)", "fc(paper(1), seed=1e30)",
		"problem()", "problem(\"\")", "problem(\".\")", "problem(\"/\")", "problem(\"no such file\")", "problem(\"\\u0000\")", "problem(\"../../../../../../etc/shadow\")", "save(1)", "save(1, \"\")", "save(1, \"/\")", "save(1, \"x.nothing\")", "plot()", "plot(1)", "sweep()", "sweep(1)", "sweep(fc(paper(1)), runs=[])", "sweep(fc(paper(1)), gap=1..1000000)",
		"classic(means=[])", "classic(means=[1])", "classic(means=[1, 1])", "classic(means=1..3, agents=0)", "table([[1]])", "table([[1, 2], [3, 4]], names=['a', 'b'])", "f(x, y) = f(x, y)\nf", "f(x) = x\nf", "f(x, x) = x\nf",
	}
	return out
}

// Scripts made by hand to break the language: each is checked and run by the real command.
func TestFaultHandMadeScripts(t *testing.T) {
	folder := t.TempDir()
	all := handMade()
	for i, text := range all {
		name := fmt.Sprintf("%d.cope", i)
		try.To(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		if i%(len(all)/often(len(all))) == 0 {
			attempt(t, folder, "check", name)
			attempt(t, folder, "run", name)
		}
	}
}

// mutable returns small scripts of most functions, to be damaged.
func mutable() []string {
	return []string{
		"p = paper(case=1, gap=0.8)\nr = fc(p, delta=0.1, runs=2, seed=3)\ns = sweep(r, gap=[0.4, 0.8])\nplot(s, x=\"gap\")\ncompare(r, r)\n",
		"r = fb(classic(means=[1, 0.5], agents=3), budget=9)\ns = sweep(r, seed=1..3, algorithm=[\"CoKernelFB\", \"IndUniformFB\"], rows=\"run\")\npaired(s, reference=\"IndUniformFB\")\n",
		"k = table([[1, .6], [.6, 1]], names=['a', `b`])\nprint(task(k)^2 * arm(2 + k))\nbounds(paper(1)); hardness(paper(3)); spectrum(paper(1), xi=\"gp\"); design(paper(1), tol=1e-3)\n",
		"f(x, y) = exp(-norm(x-y)^2/2)\nk = arm(f) * 2 + 0.1*identity()\na = (1..8)/2 - [1,2,3,4,5,6,7,8]; a[3]; max(a); -a\n",
	}
}

// mutant damages a text in one to three places: it takes runes out, doubles them, moves them, or
// puts others in.
func mutant(rng *rand.Rand, text string) string {
	odd := []string{"(", ")", "[", "]", "\"", "'", "`", ",", "=", "..", "-", "1e999", "\x00", "\ufeff", "\xff", "\n", "//", "/*", "é", "fc", "0", "9999999999"}
	s := []rune(text)
	for range 1 + rng.IntN(3) {
		from := rng.IntN(len(s) + 1)
		to := min(len(s), from+1+rng.IntN(6))
		part := string(s[from:to])
		at := rng.IntN(len(s) + 1)
		switch rng.IntN(4) {
		case 0:
			s = append(s[:from:from], s[to:]...)
		case 1:
			s = append(s[:at:at], append([]rune(part), s[at:]...)...)
		case 2:
			s = append(s[:at:at], append([]rune(odd[rng.IntN(len(odd))]), s[at:]...)...)
		case 3:
			s = append(s[:from:from], append([]rune(odd[rng.IntN(len(odd))]), s[to:]...)...)
		}
	}
	return string(s)
}

// Damaged scripts through the real command: it ends, with 0 or 1, and says why.
func TestFaultMutatedScripts(t *testing.T) {
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 768))
	jobs := make(chan string)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for name := range jobs {
				attempt(t, folder, "run", name)
			}
		})
	}
	for i := range often(1768) {
		name := fmt.Sprintf("%d.cope", i)
		try.To(os.WriteFile(filepath.Join(folder, name), []byte(mutant(rng, mutable()[i%4])), 0o600))
		jobs <- name
	}
	close(jobs)
	workers.Wait()
}
