package benchpage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// answer holds the messages about the rows of the last request. All maps have the row's ID as key.
type answer struct {
	said    map[string]said
	doubted map[string]bool // rows whose unusual value the person may confirm
	failing string          // ID of the row for which a reason must be entered
	stored  map[string]bool // rows whose input was stored
	after   string          // ID of the row after which the next empty row gets the focus
}

// list shows the person's pulls of the open round.
func (s *server) list(w http.ResponseWriter, r *http.Request, by string) {
	s.listed(w, r, by, answer{after: r.FormValue("after")})
}

// listed shows the list with input that was not stored. The messages of a appear beside their rows, or above the list if
// there is no such row.
func (s *server) listed(w http.ResponseWriter, r *http.Request, by string, a answer, messages ...said) {
	own, awaited, err := s.c.Mine(r.Context(), by)
	if err != nil {
		s.fail(w, by, err)
		return
	}
	p := s.c.Protocol()
	v := view{By: by, Page: "list", Round: own.Round, Remaining: awaited, Columns: own.Columns, Rule: p.FailureRule(), Said: messages}
	if worst, known := p.WorstReward(); known {
		v.Worst = &worst
	}
	status, past := http.StatusOK, a.after == ""
	for _, row := range own.Rows {
		at := slices.IndexFunc(v.Plates, func(p plate) bool { return p.Number == row.Plate })
		if at < 0 {
			v.Plates = append(v.Plates, plate{Number: row.Plate})
			at = len(v.Plates) - 1
		}
		x := pull{ListRow: row, Doubted: a.doubted[row.ID], Failing: a.failing == row.ID, Said: a.said[row.ID].Text}
		if delete(a.said, row.ID); x.Said != "" {
			status = http.StatusUnprocessableEntity
		}
		if row.Reward == nil {
			x.Typed, x.Why = strings.TrimSpace(r.PostFormValue("r."+row.ID)), strings.TrimSpace(r.PostFormValue("why."+row.ID))
			x.Focus = x.Said != "" || past && x.Typed == ""
			v.Fields = true
		}
		past = past && !x.Focus || row.ID == a.after
		v.Plates[at].Rows = append(v.Plates[at].Rows, x)
	}
	for _, x := range a.said {
		v.Said = append(v.Said, x)
	}
	slices.SortFunc(v.Said, func(a, b said) int { return strings.Compare(a.ID, b.ID) })
	if slices.ContainsFunc(v.Said, func(x said) bool { return x.Wrong }) {
		status = http.StatusUnprocessableEntity
	}
	s.show(w, status, v)
}

func (s *server) ask(w http.ResponseWriter, r *http.Request, by string) {
	l, err := s.c.Ask(r.Context(), campaign.Request{By: by})
	switch {
	case err != nil:
		s.listed(w, r, by, answer{}, said{Text: err.Error(), Wrong: true})
	case len(l.Rows) == 0:
		s.listed(w, r, by, answer{}, said{Text: l.Note.String()})
	default:
		s.listed(w, r, by, answer{})
	}
}

// tell stores the input of one row or of all rows. Refused input and the input of other rows remain on the page.
func (s *server) tell(w http.ResponseWriter, r *http.Request, by string) {
	a := answer{said: map[string]said{}, doubted: map[string]bool{}, stored: map[string]bool{}}
	if err := r.ParseForm(); err != nil {
		s.fail(w, by, err)
		return
	}
	var err error
	if id := r.PostForm.Get("fail"); id != "" {
		err = s.giveBack(r, by, id, &a)
	} else {
		err = s.store(r, by, &a)
	}
	switch {
	case err != nil:
		s.listed(w, r, by, a, said{Text: err.Error(), Wrong: true})
	case len(a.said) == 0 && !leftOver(r, a):
		own, _, _ := s.c.Mine(r.Context(), by) // the following page reports errors
		for _, row := range own.Rows {
			if a.stored[row.ID] {
				a.after = row.ID
			}
		}
		http.Redirect(w, r, "./?after="+a.after, http.StatusSeeOther)
	default:
		s.listed(w, r, by, a)
	}
}

// leftOver reports whether the form has input that was not stored.
func leftOver(r *http.Request, a answer) bool {
	for name := range r.PostForm {
		kind, id, _ := strings.Cut(name, ".")
		if (kind == "r" || kind == "why") && !a.stored[id] && strings.TrimSpace(r.PostForm.Get(name)) != "" {
			return true
		}
	}
	return false
}

// giveBack records that a pull was not measured, with the reason from the form.
func (s *server) giveBack(r *http.Request, by, id string, a *answer) error {
	reason := strings.TrimSpace(r.PostForm.Get("why." + id))
	if reason == "" {
		a.said[id], a.failing = said{ID: id, Text: "first write the reason why it was not measured, then give it back", Wrong: true}, id
		return nil
	}
	own, _, err := s.c.Mine(r.Context(), by)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(own.Rows, func(row campaign.ListRow) bool { return row.ID == id && row.Reward == nil }) {
		a.said[id] = said{ID: id, Text: "it is not on your list, or already has a result", Wrong: true}
		return nil
	}
	if _, err := s.c.Do(r.Context(), &campaign.Fail{IDs: []string{id}, Reason: reason, By: by}); err != nil {
		a.said[id] = said{ID: id, Text: err.Error(), Wrong: true}
		return nil
	}
	a.stored[id] = true
	a.said[id] = said{ID: id, Text: "given back, because: " + reason}
	return nil
}

// store stores the value of one row or of all rows.
func (s *server) store(r *http.Request, by string, a *answer) error {
	dialect := s.c.Protocol().Problem.DialectOf()
	only := cmp.Or(r.PostForm.Get("store"), "all")
	worst, isWorst := s.c.Protocol().WorstReward()
	if id := r.PostForm.Get("worst"); id != "" && isWorst {
		only = id
		r.PostForm.Set("r."+id, strconv.FormatFloat(worst, 'f', -1, 64))
		r.PostForm.Set("sure."+id, "1") // the person has confirmed this value by pressing its button
	}
	if !s.guesses.may(by, time.Now()) {
		return errors.New(errTooMany)
	}
	sheets := map[bool]string{}
	var sent []string
	for name := range r.PostForm {
		id, isField := strings.CutPrefix(name, "r.")
		typed := strings.TrimSpace(r.PostForm.Get(name))
		if !isField || only != "all" && only != id || only == "all" && typed == "" || !campaign.IsID(id) {
			continue
		}
		x, err := dialect.Reward(typed)
		if err != nil {
			a.said[id] = said{ID: id, Text: err.Error(), Wrong: true}
			continue
		}
		sent = append(sent, id)
		sheets[r.PostForm.Get("sure."+id) != ""] += id + "," + strconv.FormatFloat(x, 'g', -1, 64) + "\n"
	}
	for sure, rows := range sheets {
		receipt, err := s.c.Tell(r.Context(), []byte("id,reward\n"+rows),
			campaign.TellOptions{By: by, Own: true, Sheet: "the page", Sure: sure, TakeGood: true})
		s.guesses.add(by, time.Now(), unknown(receipt, err))
		if err != nil {
			return err
		}
		for _, l := range receipt.Lines {
			text := l.Text
			if l.Kind == campaign.RowLate {
				text = "stored as late: " + text
			}
			if l.Kind == campaign.RowNew {
				text = l.ID + " is stored; " + text
			}
			right := []string{campaign.RowLate, campaign.RowKnown, campaign.RowNew}
			a.said[l.ID] = said{ID: l.ID, Text: text, Wrong: !slices.Contains(right, l.Kind)}
			a.doubted[l.ID] = l.Kind == campaign.RowSure
		}
	}
	for _, id := range sent {
		a.stored[id] = !a.said[id].Wrong
	}
	if only != "all" && len(sent)+len(a.said) == 0 {
		a.said[""] = said{Text: fmt.Sprintf("%q is not an id", only), Wrong: true}
	}
	return nil
}

// upload shows the form for a sheet. why states why the last sheet was refused; "" means that there was none.
func (s *server) upload(w http.ResponseWriter, by, why string) {
	v, status := view{By: by, Page: "upload"}, http.StatusOK
	if why != "" {
		v.Said, status = []said{{Text: why, Wrong: true}}, http.StatusUnprocessableEntity
	}
	s.show(w, status, v)
}

// preview shows what an uploaded sheet would change, and records nothing.
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
		s.upload(w, by, "the file is larger than 4 MB, too large for a sheet of results")
		return
	}
	if !s.guesses.may(by, time.Now()) {
		s.upload(w, by, errTooMany)
		return
	}
	receipt, err := s.c.Preview(r.Context(), text, campaign.TellOptions{By: by, Own: true, Sheet: head.Filename})
	s.guesses.add(by, time.Now(), unknown(receipt, err))
	if err != nil {
		s.upload(w, by, err.Error())
		return
	}
	s.received(w, by, "preview", receipt, string(text), head.Filename)
}

func (s *server) confirm(w http.ResponseWriter, r *http.Request, by string) {
	if !s.guesses.may(by, time.Now()) {
		s.upload(w, by, errTooMany)
		return
	}
	text, file := r.PostFormValue("text"), r.PostFormValue("file")
	receipt, err := s.c.Tell(r.Context(), []byte(text),
		campaign.TellOptions{By: by, Own: true, Sheet: file, TakeGood: r.PostFormValue("good") != "", Sure: r.PostFormValue("sure") != ""})
	s.guesses.add(by, time.Now(), unknown(receipt, err))
	switch {
	case err != nil:
		s.upload(w, by, err.Error())
	case receipt.Refused() && !receipt.Taken:
		s.received(w, by, "preview", receipt, text, file)
	default:
		s.received(w, by, "receipt", receipt, "", "")
	}
}

// received shows the result of recording a sheet, or of its preview.
func (s *server) received(w http.ResponseWriter, by, page string, receipt campaign.Receipt, text, file string) {
	v := view{By: by, Page: page, Receipt: &receipt, Sheet: text, File: file, Lines: receipt.Lines[:min(len(receipt.Lines), mostLines)],
		Doubted: receipt.Counts[campaign.RowSure] > 0}
	v.Good, v.Wrong = receipt.Words()
	v.More = len(receipt.Lines) - len(v.Lines)
	s.show(w, http.StatusOK, v)
}
