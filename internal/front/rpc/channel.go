package rpc

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Limits on reading at once, in bytes. A program that sends more is wrong.
const (
	maxMessage = 64 << 20
	maxBlock   = problem.MaxData
	maxBlocks  = 4096 // that are waiting for the message that names them
)

// channel carries messages, and blocks beside them. Each is preceded by a header as in the Language
// Server Protocol,
//
//	Content-Length: 128\r\n
//	Block: 7\r\n
//	\r\n
//
// where the line Block says that bytes follow and which number messages have for them. A block is
// sent before the message that names it, and is taken once.
type channel struct {
	in  *textproto.Reader
	out io.WriteCloser

	mu     sync.Mutex // of messages sent, and of the blocks
	blocks map[int][]byte
	last   int // number of the last block sent
}

func newChannel(in io.Reader, out io.WriteCloser) *channel {
	return &channel{in: textproto.NewReader(bufio.NewReaderSize(in, 1<<16)), out: out, blocks: map[int][]byte{}}
}

// Send sends a message.
func (c *channel) Send(message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write("", message)
}

// write writes a header and what follows it in one call, which a reader then gets in one.
func (c *channel) write(header string, content []byte) error {
	text := fmt.Appendf(make([]byte, 0, 64+len(content)), "Content-Length: %d\r\n%s\r\n", len(content), header)
	_, err := c.out.Write(append(text, content...))
	return err
}

// sendBlock sends bytes and returns the number by which a message names them.
func (c *channel) sendBlock(content []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	return c.last, c.write(fmt.Sprintf("Block: %d\r\n", c.last), content)
}

// Recv returns the next message; blocks before it are kept.
func (c *channel) Recv() ([]byte, error) {
	for {
		header, err := c.in.ReadMIMEHeader()
		if err != nil {
			return nil, io.EOF // the program has ended, or sends something else
		}
		number, isBlock, limit := header.Get("Block"), header.Get("Block") != "", maxMessage
		if isBlock {
			limit = maxBlock
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil || length < 0 || length > limit {
			return nil, fmt.Errorf("a message of %q bytes; it must be from 0 to %d", header.Get("Content-Length"), limit)
		}
		content, err := readAll(c.in.R, length)
		if err != nil {
			return nil, err
		}
		if !isBlock {
			return content, nil
		}
		if err := c.keep(number, content); err != nil {
			return nil, err
		}
	}
}

// readAll reads that many bytes. Memory is taken as they come, and not as a header claims.
func readAll(r io.Reader, length int) ([]byte, error) {
	const step = 1 << 20
	content := make([]byte, 0, min(length, step))
	for len(content) < length {
		at, more := len(content), min(length-len(content), max(step, len(content)))
		content = slices.Grow(content, more)[:at+more]
		if _, err := io.ReadFull(r, content[at:]); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// keep stores a block until a message takes it.
func (c *channel) keep(number string, content []byte) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("a block %q; its number must be whole", number)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.blocks) >= maxBlocks {
		return fmt.Errorf("%d blocks that no message took", maxBlocks)
	}
	c.blocks[n] = content
	return nil
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
