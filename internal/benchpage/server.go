package benchpage

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

//go:embed page.html page.css
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"shown":    func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) },
	"settings": settings,
	"at":       func(t time.Time) string { return t.Local().Format("2 Jan 15:04") },
}).ParseFS(files, "page.html"))

// mostUpload is the most bytes of a sheet.
const mostUpload = 4 << 20

// cookie is the name of the cookie that holds the secret of a person.
const cookie = "campaign"

// server answers requests about one campaign.
type server struct {
	c      *folder.Campaign
	secure bool // whether the page is served by TLS
}

// New returns the page of a campaign. secure says that it is served by TLS: cookies then travel by
// nothing else.
func New(c *folder.Campaign, secure bool) http.Handler {
	s := &server{c, secure}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /join/{secret}", s.invitation)
	mux.HandleFunc("POST /join", s.join)
	mux.HandleFunc("GET /page.css", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "page.css") })
	mux.HandleFunc("GET /{$}", s.person(s.list))
	mux.HandleFunc("POST /ask", s.person(s.ask))
	mux.HandleFunc("POST /tell", s.person(s.tell))
	mux.HandleFunc("GET /tasks", s.person(s.tasks))
	mux.HandleFunc("GET /upload", s.person(func(w http.ResponseWriter, _ *http.Request, by string) {
		s.show(w, http.StatusOK, view{By: by, Page: "upload"})
	}))
	mux.HandleFunc("POST /upload", s.person(s.preview))
	mux.HandleFunc("POST /upload/confirm", s.person(s.confirm))
	return guarded(http.NewCrossOriginProtection().Handler(mux))
}

// guarded limits requests, and says to browsers what the page never does.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, 2*mostUpload)
		next.ServeHTTP(w, r)
	})
}

// view holds the data of the template.
type view struct {
	By, Page string
	Error    string
	Name     string
	Round    int
	Left     int
	Columns  []string // of the settings of arms
	Plates   []plate
	Note     string
	Status   *campaign.Status
	Receipt  *campaign.Receipt
	Sheet    string // of a preview, to be confirmed
	File     string
	Secret   string
	Focus    string // the id whose row was told last
	Message  string
	Typed    string
}

// settings says at what an arm is measured: the names of its features without the x_ of the table, with
// their values; of a feature that is 0 or 1 throughout the list, its name where it is 1.
func settings(columns []string, plates []plate, row campaign.ListRow) string {
	var out []string
	for k, column := range columns {
		if k >= len(row.Settings) {
			break
		}
		name := strings.TrimPrefix(column, "x_")
		switch {
		case !isSwitch(k, plates):
			out = append(out, name+" "+row.Settings[k])
		case row.X[k] == 1:
			out = append(out, name)
		}
	}
	return strings.Join(out, " · ")
}

// isSwitch reports whether a feature is written as 0 or 1 in all rows of a list.
func isSwitch(k int, plates []plate) bool {
	for _, p := range plates {
		for _, r := range p.Rows {
			if r.Settings[k] != "0" && r.Settings[k] != "1" {
				return false
			}
		}
	}
	return true
}

// plate is a part of a list.
type plate struct {
	Number int
	Rows   []campaign.ListRow
}

func (s *server) show(w http.ResponseWriter, status int, v view) {
	v.Name = s.c.Protocol().Name
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	pages.ExecuteTemplate(w, "page.html", v)
}

// fail shows an error.
func (s *server) fail(w http.ResponseWriter, by string, err error) {
	s.show(w, http.StatusInternalServerError, view{By: by, Page: "error", Error: err.Error()})
}

// person lets only invited people in, by their cookie.
func (s *server) person(next func(w http.ResponseWriter, r *http.Request, by string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie(cookie); err == nil {
			if by, ok := s.c.Invited(c.Value); ok {
				next(w, r, by)
				return
			}
		}
		s.show(w, http.StatusForbidden, view{Page: "stranger"})
	}
}

// invitation shows who a link is for. The cookie is set by a further step: a browser sends a strict
// cookie only with requests that begin on the page itself.
func (s *server) invitation(w http.ResponseWriter, r *http.Request) {
	secret := r.PathValue("secret")
	by, ok := s.c.Invited(secret)
	if !ok {
		s.show(w, http.StatusForbidden, view{Page: "stranger"})
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "join", Secret: secret})
}

func (s *server) join(w http.ResponseWriter, r *http.Request) {
	secret := r.PostFormValue("secret")
	if _, ok := s.c.Invited(secret); !ok {
		s.show(w, http.StatusForbidden, view{Page: "stranger"})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: secret, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode, MaxAge: 180 * 24 * 3600})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// list shows the person's own pulls of the open round.
func (s *server) list(w http.ResponseWriter, r *http.Request, by string) {
	s.listed(w, r, by, http.StatusOK, view{})
}

func (s *server) listed(w http.ResponseWriter, r *http.Request, by string, status int, v view) {
	own, left, err := s.c.Mine(r.Context(), by)
	if err != nil {
		s.fail(w, by, err)
		return
	}
	v.By, v.Page, v.Round, v.Left, v.Columns = by, "list", own.Round, left, own.Columns
	for _, row := range own.Rows {
		at := slices.IndexFunc(v.Plates, func(p plate) bool { return p.Number == row.Plate })
		if at < 0 {
			v.Plates = append(v.Plates, plate{Number: row.Plate})
			at = len(v.Plates) - 1
		}
		v.Plates[at].Rows = append(v.Plates[at].Rows, row)
	}
	s.show(w, status, v)
}

func (s *server) ask(w http.ResponseWriter, r *http.Request, by string) {
	l, err := s.c.Ask(r.Context(), campaign.Request{By: by})
	if err != nil {
		s.fail(w, by, err)
		return
	}
	if len(l.Rows) == 0 {
		s.listed(w, r, by, http.StatusOK, view{Message: l.Note.String()})
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// tell stores one result.
func (s *server) tell(w http.ResponseWriter, r *http.Request, by string) {
	id, typed := r.PostFormValue("id"), strings.TrimSpace(r.PostFormValue("reward"))
	refuse := func(text string) {
		s.listed(w, r, by, http.StatusUnprocessableEntity, view{Focus: id, Message: text, Typed: typed})
	}
	reward, err := number(typed)
	if err != nil {
		refuse(err.Error())
		return
	}
	receipt, err := s.c.TellOne(r.Context(), id, reward, campaign.TellOptions{By: by, Sheet: "the page", Sure: r.PostFormValue("sure") != ""})
	switch {
	case err != nil:
		refuse(err.Error())
	case receipt.Refused():
		refuse(receipt.Lines[0].Text)
	default:
		http.Redirect(w, r, "/#"+id, http.StatusSeeOther)
	}
}

// number reads a number as people type it, with a decimal point or comma.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || strings.Trim(text, "+-.,0123456789eE") != "" {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return x, nil
}

func (s *server) tasks(w http.ResponseWriter, r *http.Request, by string) {
	st, err := s.c.Status(r.Context())
	if err != nil {
		s.fail(w, by, err)
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "tasks", Status: &st})
}

// preview shows what an uploaded sheet would do, and records nothing.
func (s *server) preview(w http.ResponseWriter, r *http.Request, by string) {
	f, head, err := r.FormFile("sheet")
	if err != nil {
		s.show(w, http.StatusUnprocessableEntity, view{By: by, Page: "upload", Message: "choose a file"})
		return
	}
	defer f.Close()
	if head.Size > mostUpload {
		s.show(w, http.StatusRequestEntityTooLarge, view{By: by, Page: "upload", Message: "the file is too large for a sheet of results"})
		return
	}
	text := make([]byte, head.Size)
	if _, err := f.ReadAt(text, 0); err != nil {
		s.fail(w, by, err)
		return
	}
	receipt, err := s.c.Preview(r.Context(), text, campaign.TellOptions{By: by, Sheet: head.Filename})
	if err != nil {
		s.show(w, http.StatusUnprocessableEntity, view{By: by, Page: "upload", Message: err.Error()})
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "preview", Receipt: &receipt, Sheet: string(text), File: head.Filename})
}

func (s *server) confirm(w http.ResponseWriter, r *http.Request, by string) {
	receipt, err := s.c.Tell(r.Context(), []byte(r.PostFormValue("text")), campaign.TellOptions{By: by, Sheet: r.PostFormValue("file"), TakeGood: r.PostFormValue("good") != "", Sure: r.PostFormValue("sure") != ""})
	if err != nil {
		s.show(w, http.StatusUnprocessableEntity, view{By: by, Page: "upload", Message: err.Error()})
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "receipt", Receipt: &receipt})
}

// errPlain answers an address that others can reach without encryption.
var errPlain = errors.New("others can reach this address, so that it needs --cert and --key, or --plain where the network is trusted")
