package benchpage

import (
	"io"
	"net/http"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// upload asks for a sheet, with why the last was not taken.
func (s *server) upload(w http.ResponseWriter, by, why string) {
	v, status := view{By: by, Page: "upload"}, http.StatusOK
	if why != "" {
		v.Said, status = []said{{Text: why, Wrong: true}}, http.StatusUnprocessableEntity
	}
	s.show(w, status, v)
}

// preview shows what an uploaded sheet would do, and records nothing.
func (s *server) preview(w http.ResponseWriter, r *http.Request, by string) {
	f, head, err := r.FormFile("sheet")
	if err != nil {
		s.upload(w, by, "choose a file of at most 4 MB")
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostUpload+1))
	switch {
	case err != nil:
		s.fail(w, by, err)
		return
	case len(text) == 0:
		s.upload(w, by, "the file is empty")
		return
	case len(text) > mostUpload:
		s.upload(w, by, "the file is larger than 4 MB, which no sheet of results is")
		return
	}
	receipt, err := s.c.Preview(r.Context(), text, campaign.TellOptions{By: by, Own: true, Sheet: head.Filename})
	if err != nil {
		s.upload(w, by, err.Error())
		return
	}
	s.received(w, by, "preview", receipt, string(text), head.Filename)
}

func (s *server) confirm(w http.ResponseWriter, r *http.Request, by string) {
	text, file := r.PostFormValue("text"), r.PostFormValue("file")
	receipt, err := s.c.Tell(r.Context(), []byte(text),
		campaign.TellOptions{By: by, Own: true, Sheet: file, TakeGood: r.PostFormValue("good") != "", Sure: r.PostFormValue("sure") != ""})
	switch {
	case err != nil:
		s.upload(w, by, err.Error())
	case receipt.Refused() && !receipt.Taken:
		s.received(w, by, "preview", receipt, text, file)
	default:
		s.received(w, by, "receipt", receipt, "", "")
	}
}

// received shows what became of the rows of a sheet, or would.
func (s *server) received(w http.ResponseWriter, by, page string, receipt campaign.Receipt, text, file string) {
	v := view{By: by, Page: page, Receipt: &receipt, Sheet: text, File: file, Lines: receipt.Lines[:min(len(receipt.Lines), mostLines)],
		Doubted: receipt.Counts[campaign.RowSure] > 0}
	v.Good, v.Wrong = receipt.Words()
	v.More = len(receipt.Lines) - len(v.Lines)
	s.show(w, http.StatusOK, v)
}
