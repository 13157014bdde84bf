package notebookkernel

import (
	"errors"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/bridge/host"
)

// setOutput says where displays of Go cells go that come over the bridge.
func (g *goSide) setOutput(out *goOutput) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.output = out
}

// printTime is the time that what a cell printed takes through GoNB: a display comes by a shorter
// way, and must not overtake it. The cell waits meanwhile.
const printTime = 5 * time.Millisecond

// show displays what a Go cell shows over the bridge.
func (g *goSide) show(bundle map[string]any) error {
	g.mu.Lock()
	out := g.output
	g.mu.Unlock()
	if out == nil {
		return errors.New("no Go cell runs below which this could be shown")
	}
	time.Sleep(printTime)
	out.joiner.flush()
	out.cell.display("display_data", "", bundle, nil)
	return nil
}

// listen opens the bridge over which Go cells see the session.
func (g *goSide) listen() (err error) {
	if g.bridge != nil {
		return nil
	}
	if g.folder, err = privateFolder(); err != nil {
		return err
	}
	g.bridge, err = host.Listen(&host.Session{Lock: &g.k.cope.mu, Session: g.k.cope.session, Display: g.show}, g.folder)
	return err
}

// interrupt interrupts the Go cell that runs, and the function of an earlier one that
// a %%cope cell waits for.
func (g *goSide) interrupt() {
	g.mu.Lock()
	child, running, bridge := g.child, g.output != nil, g.bridge
	g.mu.Unlock()
	if running {
		child.interrupt()
	}
	if bridge != nil {
		bridge.Interrupt()
	}
}

// fault returns what went wrong in a function of a Go cell while a %%cope cell used it, or nil.
func (g *goSide) fault() error {
	g.mu.Lock()
	bridge := g.bridge
	g.mu.Unlock()
	if bridge == nil {
		return nil
	}
	return bridge.Fault()
}
