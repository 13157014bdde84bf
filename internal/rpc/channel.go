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
)

// Limits on reading at once, in bytes. A program that sends more is wrong.
const (
	maxMessage = 64 << 20
	maxBlock   = problem.MaxData
	maxBlocks  = 4096            // blocks that wait for the message that names them
	maxWaiting = problem.MaxData // their bytes
)

// channel carries messages, and blocks beside them. Each is preceded by a header as in the Language
// Server Protocol,
//
//	Content-Length: 128\r\n
//	Block: 7\r\n
//	\r\n
//
// where the line Block states that bytes follow and which number messages have for them. A block is
// sent right before the request or the answer that names it, and is taken once; what a request did not take is
// dropped when it is over.
type channel struct {
	in  *textproto.Reader
	out io.WriteCloser

	sending    sync.Mutex // of messages sent: a slow reader of them must not keep the server from reading
	mu         sync.Mutex // guards the blocks received
	unreadable func()     // called for a message that is not JSON; may be nil
	blocks     map[int][]byte
	owned      map[string][]int // blocks that came before a request, by its id; those before answers under the name answers
	fresh      []int            // blocks that came since the last message
	last       int              // number of the last block sent
}

// Send sends a message.
func (c *channel) Send(message []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	return c.write("", withKind(message))
}

// withKind returns a message. The library itself answers a request that was cancelled before its handler began: that is an
// error of kind "interrupted", as of any other.
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

// write writes a header and what follows it in one call, which a reader then gets in one.
func (c *channel) write(header string, content []byte) error {
	text := fmt.Appendf(make([]byte, 0, 64+len(content)), "Content-Length: %d\r\n%s\r\n", len(content), header)
	_, err := c.out.Write(append(text, content...))
	return err
}

// sendBlock sends bytes and returns the number by which a message names them.
func (c *channel) sendBlock(content []byte) (int, error) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.last++
	return c.last, c.write(fmt.Sprintf("Block: %d\r\n", c.last), content)
}

// Recv returns the next message; blocks before it are kept.
func (c *channel) Recv() ([]byte, error) {
	for {
		header, err := c.in.ReadMIMEHeader()
		if err != nil {
			return nil, io.EOF // the program has ended, or sends other data
		}
		number, isBlock, limit := header.Get("Block"), header.Get("Block") != "", maxMessage
		if isBlock {
			limit = maxBlock
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil || length < 0 || length > limit {
			return nil, fmt.Errorf("a message has the length %q, but it must be a number from 0 to %d", header.Get("Content-Length"), limit)
		}
		content, err := await.Exactly(c.in.R, length)
		if err != nil {
			return nil, err
		}
		if !isBlock {
			c.own(content)
			if content = c.refuse(content); content != nil {
				return content, nil
			}
			continue
		}
		if err := c.keep(number, content); err != nil {
			return nil, err
		}
	}
}

// refuse answers wrong notifications, such as a request whose id is an object, and returns the message without them: nil if nothing
// is left. The library keeps notifications when the input ends. It would answer the wrong ones on a channel that is nil, and panic.
func (c *channel) refuse(content []byte) []byte {
	messages, err := jrpc2.ParseRequests(content)
	if err != nil { // not JSON: the library answers it, but may be waiting for an answer in it
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
		ID      *string      `json:"id"` // null: it is not known
		Error   *jrpc2.Error `json:"error"`
	}
	var reply any = answer{jrpc2.Version, nil, messages[0].Error}
	var sound []byte
	if messages[0].Batch {
		var texts, left []json.RawMessage
		var answers []answer
		_ = json.Unmarshal(content, &texts) // it was read above
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
		_ = c.Send(text) // an error is ignored: the program may have ended
	}
	return sound
}

// keep stores a block until a message takes it.
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

// answers is the key for the blocks of answers, whose id is that of a question of the server.
const answers = "answers"

// own assigns the blocks before a message to it. A notification between them has none.
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
	_ = json.Unmarshal(message, &head) // what is not JSON owns nothing
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

// drop forgets the blocks that came with a request and that it did not take.
func (c *channel) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.owned[id] {
		delete(c.blocks, n)
	}
	delete(c.owned, id)
}

// take returns a block that was received, and forgets it.
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

// Close ends the output.
func (c *channel) Close() error { return c.out.Close() }

// The codes of errors. Those below -32000 are of JSON-RPC.
const (
	codeMistake     jrpc2.Code = 1 // the script or the call is wrong, or what it asks for failed
	codeInterrupted jrpc2.Code = 2
	codeFunction    jrpc2.Code = 3 // a function of the program failed
	codeRequest     jrpc2.Code = 4 // the message is wrong
	codeDefect      jrpc2.Code = 5
)

// kindOf has the word of each code.
var kindOf = map[jrpc2.Code]string{
	codeMistake: "mistake", codeInterrupted: "interrupted", codeFunction: "function", codeRequest: "request", codeDefect: "defect",
}

// failure is the data of an error.
type failure struct {
	Kind     string     `json:"kind"`
	Mistakes []mistake  `json:"mistakes,omitempty"`
	HTML     string     `json:"html,omitempty"`    // of a script
	Partial  *described `json:"partial,omitempty"` // what was finished of a call

	Bound []*described `json:"bound,omitempty"` // what names of a script are bound to
}

// mistake is one of at most five.
type mistake struct {
	Message  string `json:"message"`
	Cause    string `json:"cause,omitempty"`
	Hint     string `json:"hint,omitempty"`
	Argument string `json:"argument,omitempty"` // of a call
	// of a script
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Width  int    `json:"width,omitempty"`
	Source string `json:"source,omitempty"` // the line
	Text   string `json:"text,omitempty"`   // all of it, with the line underlined
}

// wrong makes an error of one kind.
func wrong(code jrpc2.Code, err error) error { return withData(code, err.Error(), failure{}) }

func withData(code jrpc2.Code, message string, f failure) error {
	f.Kind = kindOf[code]
	data, err := json.Marshal(f)
	if err != nil {
		data = nil
	}
	return &jrpc2.Error{Code: code, Message: message, Data: data}
}

// failed makes an error of Eval's results, for a call where t is its statement, else for a script,
// and states what was finished before it.
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
