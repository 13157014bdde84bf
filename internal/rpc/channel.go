package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// These are limits in bytes on a single read. A program that exceeds them has a defect.
const (
	maxMessage = 64 << 20
	maxBlock   = problem.MaxData
	maxBlocks  = 4096            // number of blocks that no message has used yet
	maxWaiting = problem.MaxData // bytes of these blocks
)

// channel carries messages and blocks of bytes. Each is preceded by a header as in the Language Server Protocol,
//
//	Content-Length: 128\r\n
//	Block: 7\r\n
//	\r\n
//
// The line Block exists only for blocks; it contains the number by which messages refer to the block. A block is sent right before
// the request or answer that refers to it, and can be used once. Unused blocks of a request are deleted when the request ends.
type channel struct {
	in  *textproto.Reader
	out io.WriteCloser

	sending    sync.Mutex // held while sending; separate from mu, so that a slow reader does not stop Recv
	mu         sync.Mutex // guards the received blocks
	unreadable func()     // called for a message that is not JSON; may be nil
	blocks     map[int][]byte
	owned      map[string][]int // request ID → blocks received before the request; for answers, the key is the constant answers
	fresh      []int            // blocks received since the last message
	last       int              // number of the last sent block
}

// Send sends a message.
func (c *channel) Send(message []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	return c.write("", withKind(message))
}

// withKind adds our error kind "interrupted" to an answer in which the JSON-RPC library reports a request that was
// cancelled before its handler began. It returns other messages unchanged.
func withKind(m []byte) []byte {
	if !bytes.Contains(m, fmt.Appendf(nil, `"code":%d`, jrpc2.Cancelled)) {
		return m
	}
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jrpc2.Error    `json:"error"`
	}
	if err := json.Unmarshal(m, &answer); err != nil || answer.Error == nil || answer.Error.Code != jrpc2.Cancelled {
		return m
	}
	errors.As(wrong(codeInterrupted, context.Canceled), &answer.Error)
	again, err := json.Marshal(answer)
	if err != nil {
		return m
	}
	return again
}

// write writes a header and its content in one call, so that a reader gets both at once.
func (c *channel) write(header string, content []byte) error {
	text := fmt.Appendf(make([]byte, 0, 64+len(content)), "Content-Length: %d\r\n%s\r\n", len(content), header)
	_, err := c.out.Write(append(text, content...))
	return err
}

// sendBlock sends a block and returns its number for a message.
func (c *channel) sendBlock(content []byte) (int, error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.last++
	return c.last, c.write(fmt.Sprintf("Block: %d\r\n", c.last), content)
}

// Recv returns the next message, and stores the blocks that precede it.
func (c *channel) Recv() (_ []byte, err error) {
	defer try.Caught(&err)
	for {
		header, err := c.in.ReadMIMEHeader()
		if err != nil {
			return nil, io.EOF // the program has ended or sent invalid data
		}
		number, isBlock, limit := header.Get("Block"), header.Get("Block") != "", maxMessage
		if isBlock {
			limit = maxBlock
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil || length < 0 || length > limit {
			return nil, fmt.Errorf("a message has the length %q, but it must be a number from 0 to %d", header.Get("Content-Length"), limit)
		}
		content := try.Of(await.Exactly(c.in.R, length))
		if !isBlock {
			c.own(content)
			if content = c.refuse(content); content != nil {
				return content, nil
			}
			continue
		}
		try.To(c.keep(number, content))
	}
}

// refuse answers invalid notifications, such as a request whose ID is an object. It returns the message without them, or
// nil if nothing remains. The library must not get them: it would answer them after the input has ended, on a nil channel,
// and panic.
func (c *channel) refuse(content []byte) []byte {
	messages, err := jrpc2.ParseRequests(content)
	if err != nil { // not JSON; the library answers it, but may itself wait for an answer in it
		if c.unreadable != nil {
			c.unreadable()
		}
		return content
	}
	wrong := func(m *jrpc2.ParsedRequest) bool { return m.ID == "" && m.Method != "" && m.Error != nil }
	if !slices.ContainsFunc(messages, wrong) {
		return content
	}
	type answer struct {
		Version string       `json:"jsonrpc"`
		ID      *string      `json:"id"` // null, because the ID is unknown
		Error   *jrpc2.Error `json:"error"`
	}
	var reply any = answer{jrpc2.Version, nil, messages[0].Error}
	var sound []byte
	if messages[0].Batch {
		var texts, left []json.RawMessage
		var answers []answer
		_ = json.Unmarshal(content, &texts) // no error: it was parsed above
		for k, m := range messages {
			if wrong(m) {
				answers = append(answers, answer{jrpc2.Version, nil, m.Error})
			} else {
				left = append(left, texts[k])
			}
		}
		if reply = answers; len(left) > 0 {
			sound, _ = json.Marshal(left)
		}
	}
	if text, err := json.Marshal(reply); err == nil {
		_ = c.Send(text) // an error means that the program has ended
	}
	return sound
}

// keep stores a received block until a message uses it. It returns an error if too many blocks are stored.
func (c *channel) keep(number string, content []byte) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("a block %q; its number must be whole", number)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := len(content)
	for _, b := range c.blocks {
		waiting += len(b)
	}
	if len(c.blocks) >= maxBlocks || waiting > maxWaiting {
		return fmt.Errorf("%d blocks with %d MB that no message took", len(c.blocks), waiting>>20)
	}
	c.blocks[n] = content
	c.fresh = append(c.fresh, n)
	return nil
}

// answers is the key for blocks that belong to answers of the program.
const answers = "answers"

// own assigns the blocks received before a message to this message. A notification gets none.
func (c *channel) own(message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fresh) == 0 {
		return
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal(message, &head) // a message that is not JSON gets none
	id := string(head.ID)
	switch {
	case id == "":
		return
	case head.Method == "":
		id = answers
	}
	if c.owned == nil {
		c.owned = map[string][]int{}
	}
	c.owned[id], c.fresh = append(c.owned[id], c.fresh...), nil
}

// drop deletes the blocks of a request that the request has not used.
func (c *channel) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.owned[id] {
		delete(c.blocks, n)
	}
	delete(c.owned, id)
}

// take removes and returns a received block, or returns an error if there is none with this number.
func (c *channel) take(number int) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	content, known := c.blocks[number]
	if !known {
		return nil, fmt.Errorf("there is no block %d; a block is sent before the message that names it, and is named once", number)
	}
	delete(c.blocks, number)
	return content, nil
}

// Close closes the output.
func (c *channel) Close() error { return c.out.Close() }

// These are the codes of errors. JSON-RPC reserves codes below -32000.
const (
	codeMistake     jrpc2.Code = 1 // the script or call is wrong, or its computation failed
	codeInterrupted jrpc2.Code = 2
	codeFunction    jrpc2.Code = 3 // a function of the program failed
	codeRequest     jrpc2.Code = 4 // the message is invalid
	codeDefect      jrpc2.Code = 5
)

// kindOf maps each code to the field kind of the error's data.
var kindOf = map[jrpc2.Code]string{
	codeMistake: "mistake", codeInterrupted: "interrupted", codeFunction: "function", codeRequest: "request", codeDefect: "defect",
}

// failure is the data of a JSON-RPC error.
type failure struct {
	Kind     string     `json:"kind"`
	Mistakes []mistake  `json:"mistakes,omitempty"`
	HTML     string     `json:"html,omitempty"`    // error of a script as HTML
	Partial  *described `json:"partial,omitempty"` // finished part of a call's result

	Bound []*described `json:"bound,omitempty"` // values that a script has defined
}

// mistake is one mistake of a script or call. An error contains at most five.
type mistake struct {
	Message  string `json:"message"`
	Cause    string `json:"cause,omitempty"`
	Hint     string `json:"hint,omitempty"`
	Argument string `json:"argument,omitempty"` // name of the argument, for a call
	// the following fields are for a script
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Width  int    `json:"width,omitempty"`
	Source string `json:"source,omitempty"` // source line
	Text   string `json:"text,omitempty"`   // whole message with the line and a caret
}

// wrong returns a JSON-RPC error with a code and its kind.
func wrong(code jrpc2.Code, err error) error { return withData(code, err.Error(), failure{}) }

func withData(code jrpc2.Code, message string, f failure) error {
	f.Kind = kindOf[code]
	data, err := json.Marshal(f)
	if err != nil {
		data = nil
	}
	return &jrpc2.Error{Code: code, Message: message, Data: data}
}

// failed converts an error of parsing or evaluation to a JSON-RPC error. t is the statement of a call, or nil for a
// script. finished are the values that were defined before the error.
func failed(ctx context.Context, err error, t *statement, finished ...*described) error {
	code := codeMistake
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		code = codeInterrupted
	}
	f := failure{}
	switch {
	case t == nil:
		f.Bound = finished
	case len(finished) > 0:
		f.Partial = finished[0]
	}
	var all dsl.Errors
	if !errors.As(err, &all) {
		return withData(code, err.Error(), f)
	}
	for _, e := range all {
		m := mistake{Message: e.Message, Cause: e.Cause, Hint: e.Hint}
		if t != nil {
			m.Argument = t.at(e.Col)
		} else {
			m.File, m.Line, m.Column, m.Width, m.Source, m.Text = e.File, e.Line, e.Col, e.Width, e.Source, e.Error()
		}
		f.Mistakes = append(f.Mistakes, m)
	}
	message := all[0].Message
	if t == nil {
		f.HTML = dsl.ErrorHTML(err)
		message = fmt.Sprintf("%s:%d:%d: %s", all[0].File, all[0].Line, all[0].Col, all[0].Message)
	}
	return withData(code, message, f)
}
