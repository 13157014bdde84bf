package host

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gonb-cope/gonb-cope/internal/front/bridge"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// cell is one connection: a Go cell that runs. It is for one goroutine.
type cell struct {
	host      *Host
	ledger    ledger
	evaluator bridge.Evaluator
}

func newCell(h *Host) *cell {
	c := &cell{host: h}
	c.evaluator.Lookup = c.ledger.formula
	return c
}

// answer answers one request. A panic, of whatever a strange message may cause, is an
// error of the cell.
func (c *cell) answer(op bridge.Op, content []byte) (kind bridge.Op, answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			kind, answer = bridge.OpError, []byte(fmt.Sprintf("the kernel failed to answer: %v", p))
		}
	}()
	var err error
	switch op {
	case bridge.OpNames:
		answer, err = bridge.Pack(c.host.store.Names())
	case bridge.OpGet:
		answer, err = c.get(content)
	case bridge.OpPut:
		err = c.put(content)
	case bridge.OpFunction:
		err = c.function(content)
	case bridge.OpAct:
		answer, err = c.act(content)
	case bridge.OpShow:
		err = c.show(content)
	default:
		return c.evaluator.Answer(op, content)
	}
	kind = bridge.OpDone
	if err != nil {
		kind, answer = bridge.OpError, []byte(err.Error())
	}
	if recorded(op) {
		c.ledger.note(exchange{op, content, answer, kind})
	}
	return kind, answer
}

func (c *cell) get(content []byte) ([]byte, error) {
	var name string
	if err := bridge.Unpack(content, &name); err != nil {
		return nil, err
	}
	v, err := c.host.store.Get(name)
	if err != nil {
		return nil, err
	}
	value, err := bridge.Encode(v, bridge.Functions{Number: c.ledger.number})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read by a Go cell: %w", name, err)
	}
	return bridge.Pack(value)
}

func (c *cell) put(content []byte) error {
	var put bridge.Named
	if err := bridge.Unpack(content, &put); err != nil {
		return err
	}
	v, err := bridge.Decode(put.Value, bridge.Functions{
		Formula: func(f kernels.Formula, number uint64) (kernels.Formula, error) {
			own, known := c.ledger.formula(number)
			if !known {
				return f, fmt.Errorf("the formula %s is not from this session", f.Name)
			}
			return own, nil
		},
	})
	if err != nil {
		return fmt.Errorf("cannot bind %s: %w", put.Name, err)
	}
	return c.host.store.Put(put.Name, v)
}

// function binds a value with functions of the cell: after their process has been
// started and has come to the Put, so that what is wrong is said in the cell.
func (c *cell) function(content []byte) error {
	var put bridge.FunctionPut
	if err := bridge.Unpack(content, &put); err != nil {
		return err
	}
	ledger, err := c.ledger.copy()
	if err != nil {
		return fmt.Errorf("cannot bind %s: %w", put.Name, err)
	}
	f, err := c.host.newFunction(put, ledger)
	if err != nil {
		return fmt.Errorf("cannot bind %s: %w", put.Name, err)
	}
	v, err := bridge.Decode(put.Value, bridge.Functions{Formula: f.formula, Reward: f.reward})
	if err == nil {
		_, err = f.live()
	}
	if err != nil {
		f.process.discard()
		return fmt.Errorf("cannot bind %s: %w", put.Name, err)
	}
	if err := c.host.store.Put(put.Name, v); err != nil {
		f.process.discard()
		return err
	}
	c.host.stopOthers(f.process)
	return nil
}

// act calls a function that records something in a campaign, until the cell is interrupted.
func (c *cell) act(content []byte) ([]byte, error) {
	var act bridge.Act
	if err := json.Unmarshal(content, &act); err != nil {
		return nil, fmt.Errorf("a message that cannot be read: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func(interrupted <-chan struct{}) {
		select {
		case <-interrupted:
			cancel()
		case <-ctx.Done():
		}
	}(c.host.interrupted())
	v, notices, err := c.host.store.Act(ctx, act.Function, act.Args)
	if err != nil {
		return nil, err
	}
	value, err := bridge.Encode(v, bridge.Functions{Number: c.ledger.number})
	if err != nil {
		return nil, fmt.Errorf("%s was done; its value cannot be read by a Go cell: %w", act.Function, err)
	}
	return bridge.Pack(bridge.Acted{Value: value, Notices: notices})
}

func (c *cell) show(content []byte) error {
	var bundle map[string]any
	if err := json.Unmarshal(content, &bundle); err != nil {
		return fmt.Errorf("a display that cannot be read: %w", err)
	}
	return c.host.store.Show(bundle)
}
