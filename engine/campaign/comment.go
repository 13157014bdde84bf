package campaign

import (
	"context"
	"errors"
	"strings"
)

// Comment records words for the report.
type Comment struct{ Text, By string }

var noteEntry = Entry{
	Name: "note", New: func() Act { return new(Comment) }, // a notebook has words of its own
	Short: "Record a note for the report",
}

// Params implements Act.
func (a *Comment) Params() []Param {
	return []Param{{Name: "text", Into: &a.Text, Doc: "the words", Place: "TEXT", Words: "a text"}, byParam(&a.By)}
}

// Do implements Act.
func (a *Comment) Do(_ context.Context, at Doing) (Done, error) {
	if strings.TrimSpace(a.Text) == "" {
		return Done{}, errors.New("the note is empty")
	}
	return Done{Events: []Event{NewEvent(KindNote, at.Now, a.By, NoteBody{Text: a.Text})}, Text: "recorded"}, nil
}

// NoteBody holds words for the report.
type NoteBody struct {
	Text string `json:"text"`
}

func (b *NoteBody) fold(s *State, e Event) error {
	s.note(e, b.Text, "")
	return nil
}
