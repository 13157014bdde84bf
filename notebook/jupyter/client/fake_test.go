package client

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// The test binary is also the kernel that the tests start: fakeMode in its environment makes it
// one, with the misbehaviour that the value names.
const fakeMode = "GONB_COPE_TEST_FAKE_KERNEL"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(fakeMode); mode {
	case "":
		os.Exit(m.Run())
	case "parent":
		runParent()
	default:
		runFake(mode, os.Args[1])
	}
}

// runParent starts a kernel, prints its process number, and waits to be killed.
func runParent() {
	started := make(chan *Kernel)
	go func() { // a goroutine whose thread ends with it
		runtime.LockOSThread()
		k := try.Of(Start(context.Background(), fakeSpec("plain"), StartOptions{}))
		started <- k
	}()
	k := <-started
	fmt.Println(k.process.cmd.Process.Pid)
	time.Sleep(time.Hour)
}

// fakeSpec returns the kernelspec of the fake kernel.
func fakeSpec(mode string) Spec {
	return Spec{
		Name: "fake", DisplayName: "Fake", Language: "fake", Argv: []string{os.Args[0], "{connection_file}"},
		Env: map[string]string{fakeMode: mode}, Metadata: map[string]any{"transport": "ipc"},
	}
}

// fake is a kernel whose code is one command a line.
type fake struct {
	mode        string
	server      *jupyter.Server
	interrupted chan os.Signal
	count       int
	infos       int
}

func runFake(mode, file string) {
	fmt.Fprintln(os.Stderr, "the fake kernel says hello")
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "fake: out of cheese")
		os.Exit(3)
	case "mute":
		time.Sleep(time.Hour)
	}
	connection := try.Of(jupyter.ReadConnection(file))
	server := try.Of(jupyter.Listen(connection, func(error) {}))
	f := &fake{mode: mode, server: server, interrupted: make(chan os.Signal, 1)}
	signal.Notify(f.interrupted, syscall.SIGINT)
	if mode == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	go f.control()
	for m := range server.Messages(jupyter.ShellChannel) {
		f.serve(m)
	}
}

func (f *fake) control() {
	for m := range f.server.Messages(jupyter.ControlChannel) {
		switch m.Header.Type {
		case "interrupt_request":
			f.interrupted <- syscall.SIGINT
		case "shutdown_request":
			if f.mode == "stubborn" {
				continue
			}
			f.server.Send(jupyter.ControlChannel, f.server.Session().New("shutdown_reply", m, map[string]any{"status": "ok"}))
			f.server.Close(waitLimit)
			os.Exit(0)
		}
	}
}

func (f *fake) serve(m *jupyter.Message) {
	silent := f.mode == "no-status"
	if m.Header.Type == "kernel_info_request" {
		// The first two are lost, as for a subscriber that joins late.
		f.infos++
		silent = silent || f.mode == "late" && f.infos < 3
	}
	publish := func(msgType string, content any) { f.server.Publish(f.server.Session().New(msgType, m, content)) }
	if !silent {
		publish("status", map[string]any{"execution_state": "busy"})
		defer publish("status", map[string]any{"execution_state": "idle"})
	}
	var reply any
	switch m.Header.Type {
	case "kernel_info_request":
		reply = map[string]any{"status": "ok", "protocol_version": "5.3", "implementation": "fake", "banner": strconv.Itoa(f.infos),
			"language_info": map[string]any{"name": "fake", "version": "1"}}
	case "complete_request":
		reply = map[string]any{"status": "ok", "matches": []string{"result"}}
	case "execute_request":
		reply = f.execute(m, publish)
	default:
		return // never answered
	}
	f.server.Send(jupyter.ShellChannel, f.server.Session().New(strings.TrimSuffix(m.Header.Type, "_request")+"_reply", m, reply))
}

func (f *fake) execute(m *jupyter.Message, publish func(string, any)) any {
	var request struct {
		Code   string
		Silent bool
	}
	try.To(m.Decode(&request))
	if !request.Silent {
		f.count++
	}
	publish("execute_input", map[string]any{"code": request.Code, "execution_count": f.count})
	for lines := bufio.NewScanner(strings.NewReader(request.Code)); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		if fail := f.command(m, name, rest, publish); fail != nil {
			fail["status"], fail["execution_count"] = "error", f.count
			if name != "quiet-error" {
				publish("error", fail)
			}
			return fail
		}
	}
	return map[string]any{"status": "ok", "execution_count": f.count}
}

// command executes a line; it returns what went wrong.
func (f *fake) command(m *jupyter.Message, name, rest string, publish func(string, any)) map[string]any {
	first, second, _ := strings.Cut(rest, " ")
	text := func(s string) map[string]any { return map[string]any{"text/plain": s} }
	number, _ := strconv.Atoi(first)
	switch name {
	case "print":
		publish("stream", map[string]any{"name": "stdout", "text": rest + "\n"})
	case "repeat":
		for i := range number {
			publish("stream", map[string]any{"name": "stdout", "text": fmt.Sprintf("%s %d\n", second, i)})
		}
	case "result":
		publish("execute_result", map[string]any{"data": text(rest), "metadata": map[string]any{}, "execution_count": f.count})
	case "display", "update":
		kind := map[string]string{"display": "display_data", "update": "update_display_data"}[name]
		publish(kind, map[string]any{"data": text(second), "metadata": map[string]any{}, "transient": map[string]any{"display_id": first}})
	case "metadata":
		publish("stream", map[string]any{"name": "stdout", "text": string(m.Metadata)})
	case "malformed":
		publish("stream", map[string]any{"name": 7})
	case "spawn": // a child that outlives its parent unless the group is killed
		child := exec.Command("sleep", "3600")
		try.To(child.Start())
		publish("stream", map[string]any{"name": "stdout", "text": strconv.Itoa(child.Process.Pid)})
	case "ask":
		f.server.Send(jupyter.StdinChannel, f.server.Session().New("input_request", m, map[string]any{"prompt": rest, "password": name == "secret"}))
		select {
		case answer := <-f.server.Messages(jupyter.StdinChannel):
			publish("stream", map[string]any{"name": "stdout", "text": string(answer.Content)})
		case <-f.interrupted:
			return map[string]any{"ename": "Interrupt", "evalue": "", "traceback": []string{}}
		}
	case "sleep":
		d := try.Of(time.ParseDuration(first))
		select {
		case <-time.After(d):
		case <-f.interrupted:
			return map[string]any{"ename": "Interrupt", "evalue": "", "traceback": []string{}}
		}
	case "create": // creates a file that shows the test that this point was reached
		try.To(os.WriteFile(rest, nil, 0o600))
	case "hang":
		time.Sleep(time.Hour)
	case "die":
		publish("stream", map[string]any{"name": "stdout", "text": "last words\n"})
		f.server.Close(waitLimit) // so that they leave
		fmt.Fprintln(os.Stderr, "fake: segmentation fault, or so")
		os.Exit(9)
	case "error", "quiet-error":
		return map[string]any{"ename": first, "evalue": second, "traceback": []string{first + ": " + second}}
	}
	return nil
}
