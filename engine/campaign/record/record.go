package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// Record holds a campaign: its events, and the files to which they refer. It is a Store in memory for one goroutine.
type Record struct {
	Events []campaign.Event
	Files  map[string][]byte // contents by their SHA-256, in hexadecimal
	run    *campaign.Run     // replay of all events up to ranAt; nil before the first replay
	ranAt  int64
}

// String implements Store.
func (r *Record) String() string { return "the record" }

// After implements Store.
func (r *Record) After(_ context.Context, seq int64) ([]campaign.Event, error) {
	return r.Events[seq:], nil
}

// Lock implements Store. It does nothing.
func (r *Record) Lock(context.Context) (release func(), err error) { return func() {}, nil }

// Append implements Store.
func (r *Record) Append(_ context.Context, events []campaign.Event, files []campaign.File) error {
	for _, f := range files {
		r.Files[f.SHA256] = f.Content
	}
	r.Events = append(r.Events, events...)
	return nil
}

// Replay implements Store. It keeps the run until the next event.
func (r *Record) Replay(ctx context.Context, m campaign.Moment, memory *model.Memory) (_ *campaign.Run, err error) {
	if r.run == nil || r.ranAt != m.Seq {
		r.run, err = m.Replay(ctx, memory)
		r.ranAt = m.Seq
	}
	return r.run, err
}

// Close implements Store. It does nothing.
func (r *Record) Close() error { return nil }

// line is one line of the file.
type line struct {
	campaign.Event
	Files map[string][]byte `json:"files,omitempty"` // in base64; only in the first line
}

// Write writes the record as a file of JSON lines.
func (r Record) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // bodies must keep the bytes that were hashed
	files := r.Files
	for _, e := range r.Events {
		if err := enc.Encode(line{e, files}); err != nil {
			return err
		}
		files = nil
	}
	return nil
}

// Read parses a file that Write wrote. It returns an error if the file was changed, shortened in the middle or composed of
// two files. It does not detect events removed from the end.
func Read(data []byte) (Record, error) {
	var r Record
	for in := range bytes.Lines(data) {
		if len(bytes.TrimSpace(in)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(in, &l); err != nil || l.Kind == "" {
			return r, fmt.Errorf("line %d has no event of a campaign. Export the campaign again: gonb-cope campaign export DIR --record FILE",
				len(r.Events)+1)
		}
		if len(r.Events) == 0 {
			r.Files = l.Files
		}
		r.Events = append(r.Events, l.Event)
	}
	if len(r.Events) == 0 {
		return r, errors.New("the file has no events. A campaign that was exported by --record has at least one")
	}
	if err := campaign.CheckChain(r.Events); err != nil {
		return r, err
	}
	for hash, content := range r.Files {
		if fmt.Sprintf("%x", sha256.Sum256(content)) != hash {
			return r, fmt.Errorf("the file %.12s in the record was changed: its hash does not match", hash)
		}
	}
	return r, nil
}

// File implements Store.
func (r *Record) File(_ context.Context, hash string) ([]byte, error) {
	content, known := r.Files[hash]
	if !known {
		return nil, fmt.Errorf("the record lacks the file %.12s", hash)
	}
	return content, nil
}

// Contents returns the files with their hashes, in no particular order.
func (r Record) Contents() (all []campaign.File) {
	for hash, content := range r.Files {
		all = append(all, campaign.File{SHA256: hash, Content: content})
	}
	return all
}

// Recipe returns the start of a campaign and its recipe, without rows that were added later. It uses only the first event,
// because the others can be folded only after the recipe has made a problem.
func Recipe(ctx context.Context, events []campaign.Event, store Store) (start campaign.StartBody, r question.Recipe, err error) {
	if len(events) == 0 {
		return start, r, errors.New("the campaign has no start")
	}
	// a changed start would name other files
	s, err := campaign.NewState(), campaign.CheckChain(events[:1])
	if err == nil {
		err = s.Add(events[:1], nil)
	}
	if err != nil {
		return start, r, fmt.Errorf("%w (gonb-cope campaign verify says more)", err)
	}
	start = s.Start
	r = question.Recipe{Script: start.Script, Set: start.Set}
	if r.Script.Content, err = store.File(ctx, start.Script.SHA256); err != nil {
		return start, r, fmt.Errorf("the recorded script: %w", err)
	}
	for _, f := range start.Data {
		if f.Content, err = store.File(ctx, f.SHA256); err != nil {
			return start, r, fmt.Errorf("the recorded copy of %s cannot be read: %w", f.Path, err)
		}
		r.Data = append(r.Data, f)
	}
	return start, r, nil
}
