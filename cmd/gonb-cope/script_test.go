package main

import (
	"encoding/json"
	"errors"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gonb-cope": main})
}

// TestScripts runs testdata/script/*.txtar with the real command in its own
// process. Beyond the commands of testscript there are
//
//	exits STATUS PROGRAM [ARG...]      run and compare the exit status
//	json FILE PATH [VALUE [TOL]]       the value at a.0.b of a JSON file exists and is VALUE
//
// The folder data holds the data of the notebooks, NOTEBOOKS names the folder of these.
func TestScripts(t *testing.T) {
	data := try.Of(filepath.Abs("../../notebooks/data"))
	cache := try.Of(exec.Command("go", "env", "GOCACHE").Output()) // what is compiled once stays so
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOPROXY", "off") // nothing is downloaded
			e.Setenv("NOTEBOOKS", filepath.Dir(data))
			address, giveUp, err := testport.Hold()
			if err != nil {
				return err
			}
			e.Defer(giveUp)
			_, port, _ := net.SplitHostPort(address)
			e.Setenv("PORT", port)
			e.Setenv("SERVER", "nats://"+address)
			e.Setenv("BUILDCACHE", strings.TrimSpace(string(cache)))
			return os.Symlink(data, e.Getenv("WORK")+"/data")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": lookUp, "ids": ids,
		},
	})
}

// ids NAME PREFIX CHAIN takes the ids and the chain of a list: it sets $PREFIX1 and so on and $CHAIN, and puts them into
// all CSV files of the script that name them.
func ids(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: ids FILE PREFIX CHAIN")
	}
	rows := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")[1:]
	var pairs []string
	set := func(name, value string) {
		ts.Setenv(name, value)
		pairs = append([]string{"$" + name, value}, pairs...) // $id12 before $id1
	}
	for k, row := range rows {
		cells := strings.FieldsFunc(row, func(r rune) bool { return r == ',' || r == ';' })
		set(args[1]+strconv.Itoa(k+1), cells[0])
		if k == 0 {
			set(args[2], cells[len(cells)-1])
		}
	}
	files, err := filepath.Glob(ts.MkAbs("*.csv"))
	ts.Check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		ts.Check(err)
		ts.Check(os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o666))
	}
}

// exits also refuses what no user should see, whatever the command does: a panic
// or a Go type.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
	for _, leak := range []string{"panic", "goroutine", "%!", "float64", "interface {}", "*dsl.", "*engine.", "runtime error"} {
		if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), leak) {
			ts.Fatalf("the output contains %q", leak)
		}
	}
}

// lookUp compares compact JSON literally, or numbers within a relative tolerance.
func lookUp(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 4 || neg && len(args) != 2 {
		ts.Fatalf("usage: json FILE PATH [VALUE [TOL]] or ! json FILE PATH")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	v, found := at(v, strings.Split(args[1], "."))
	if found == neg {
		ts.Fatalf("%s is in %s: %v", args[1], args[0], found)
	}
	got, err := json.Marshal(v)
	ts.Check(err)
	switch len(args) {
	case 3:
		if string(got) != args[2] {
			ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
		}
	case 4:
		number, _ := v.(float64)
		want, err := strconv.ParseFloat(args[2], 64)
		ts.Check(err)
		tol, err := strconv.ParseFloat(args[3], 64)
		ts.Check(err)
		if !(math.Abs(number-want) <= tol*math.Abs(want)) {
			ts.Fatalf("%s is %s, want %g within a factor 1±%g", args[1], got, want, tol)
		}
	}
}

// at follows keys of objects and indices of lists.
func at(v any, path []string) (any, bool) {
	for _, key := range path {
		var found bool
		switch in := v.(type) {
		case map[string]any:
			v, found = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if found = err == nil && i < len(in); found {
				v = in[i]
			}
		}
		if !found {
			return nil, false
		}
	}
	return v, true
}
