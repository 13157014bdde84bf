package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// size is the last piece of a file, in decimal digits: where it stands, all of the file does.
const size = "size"

// mostBytes is the longest file: 1 GiB, as many as a machine should hold at once.
const mostBytes = 1 << 30

// mostAhead is the most memory that is taken for a file before any of it has come: a length is only what
// somebody has said.
const mostAhead = 8 << 20

// Keep implements cluster.Facts.
func (x *Exchange) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := cluster.CheckRun(run); err != nil {
		return "", err
	}
	if len(content) > mostBytes {
		return "", fmt.Errorf("a file has at most 1 GiB, this one has %d bytes", len(content))
	}
	sum := sha256.Sum256(content)
	hash = hex.EncodeToString(sum[:])
	m, err := x.last(ctx, fileSubject(run, hash, size))
	if m != nil || err != nil {
		return hash, err
	}
	pieces := 0
	for piece := range slices.Chunk(content, cluster.MaxBody) {
		if _, err := x.put(ctx, fileSubject(run, hash, strconv.Itoa(pieces)), piece); err != nil {
			return "", fmt.Errorf("a file of %d bytes is not kept: %w", len(content), err)
		}
		pieces++
	}
	if _, err := x.put(ctx, fileSubject(run, hash, size), []byte(strconv.Itoa(len(content)))); err != nil {
		return "", fmt.Errorf("a file of %d bytes is not kept: %w", len(content), err)
	}
	return hash, nil
}

// Fetch implements cluster.Facts.
func (x *Exchange) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	if err := cluster.CheckRun(run); err != nil {
		return nil, err
	}
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%q is not the SHA-256 of a file", hash)
	}
	m, err := x.last(ctx, fileSubject(run, hash, size))
	if err != nil {
		return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
	}
	if m == nil {
		return nil, fmt.Errorf("run %s: file %s: %w", run, hash, cluster.ErrNoFile)
	}
	length, err := strconv.Atoi(string(m.Data))
	if err != nil || length < 0 || length > mostBytes {
		return nil, fmt.Errorf("run %s: file %s: its length on the server is %q", run, hash, m.Data)
	}
	content := make([]byte, 0, min(length, mostAhead))
	for n := 0; len(content) < length; n++ {
		m, err := x.last(ctx, fileSubject(run, hash, strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
		}
		if m == nil || len(m.Data) == 0 || len(content)+len(m.Data) > length {
			return nil, fmt.Errorf("run %s: file %s: piece %d on the server is missing or too long", run, hash, n)
		}
		content = append(content, m.Data...)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("run %s: file %s: what the server gives has another hash, %x", run, hash, sum)
	}
	return content, nil
}
