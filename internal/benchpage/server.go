package benchpage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

//go:embed page.html page.css page.js
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"shown":     shown,
	"settings":  settings,
	"remaining": remaining,
	"lead":      lead,
	"estimated": estimated,
	"percent":   func(share float64) string { return fmt.Sprintf("%d\u00a0%%", int(100*share)) }, // less than all is never 100 %
	"sentence":  func(n campaign.Note) string { return sentence.Upper(n.String()) + "." },
}).ParseFS(files, "page.html"))

// The most bytes of a sheet, and of a request by an unknown person; the most lines of a receipt.
const (
	mostUpload   = 4 << 20
	mostStranger = 1 << 10
	mostLines    = 100
)

// cookie is the name of the cookie that holds the secret of a person.
const cookie = "campaign"

// server answers requests about one campaign.
type server struct {
	c       *folder.Campaign
	secure  bool // whether the page is served by TLS
	guesses guesses
}

// New returns the page of a campaign. secure states that it is served by TLS: cookies then travel by
// nothing else.
func New(c *folder.Campaign, secure bool) http.Handler {
	s := &server{c: c, secure: secure}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /join/{secret}", s.invitation)
	mux.HandleFunc("POST /join", s.join)
	for _, file := range []string{"page.css", "page.js"} {
		mux.HandleFunc("GET /"+file, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, file) })
	}
	mux.HandleFunc("GET "+place+"{$}", s.person(s.list))
	mux.HandleFunc("GET "+place+"tell", s.person(s.list)) // for a return to the answer of a form
	mux.HandleFunc("GET "+place+"ask", s.person(s.list))
	mux.HandleFunc("POST "+place+"ask", s.person(s.ask))
	mux.HandleFunc("POST "+place+"tell", s.person(s.tell))
	mux.HandleFunc("GET "+place+"tasks", s.person(s.tasks))
	mux.HandleFunc("GET "+place+"upload", s.person(func(w http.ResponseWriter, _ *http.Request, by string) { s.upload(w, by, "") }))
	mux.HandleFunc("POST "+place+"upload", s.person(s.preview))
	mux.HandleFunc("POST "+place+"confirm", s.person(s.confirm))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.stranger(w) })
	return guarded(http.NewCrossOriginProtection().Handler(mux))
}

// place is where a person's pages are. Browsers send a cookie to every port of a host, so that programs of others on it
// would see one of the whole host; they do not know the place of a person.
const place = "/p/{place}/"

// placeOf returns the place of the person with a secret. Who knows it cannot do anything.
func placeOf(secret string) string {
	sum := sha256.Sum256([]byte("place of " + secret))
	return hex.EncodeToString(sum[:8])
}

// guarded says to browsers what the page never does.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// view holds the data of the template.
type view struct {
	By, Page         string
	Protocol         campaign.Protocol
	Said             []said // above everything
	Round, Remaining int
	Columns          []string // of the settings of arms
	Plates           []plate
	Fields           bool // whether a row waits for its result
	Rule             campaign.Note
	Worst            *float64 // the reward of a failed pull, nil if none is known
	Status           *campaign.Status
	Receipt          *campaign.Receipt
	Good, Wrong      string // rows of the receipt that are in order, and that are not
	Lines            []campaign.ReceiptLine
	More             int  // further lines
	Doubted          bool // whether rows may be confirmed
	Sheet, File      string
	Secret           string
}

// said is an answer to the person; ID names the pull that it is about, "" for none.
type said struct {
	ID, Text string
	Wrong    bool
}

// plate is a part of a list.
type plate struct {
	Number int
	Rows   []pull
}

// pull is a row of the list with what was typed into it and what is said to it.
type pull struct {
	campaign.ListRow
	Typed, Why string
	Said       string
	Doubted    bool // whether the value may be confirmed
	Failing    bool // whether the reason is asked for
	Focus      bool
}

func shown(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// lead states how good the leader of a task is, and by how much better than its hardest rival.
func lead(t campaign.TaskStatus) string {
	out := fmt.Sprintf("leads with %.4g", t.Estimate)
	if both := t.Gap + t.Error; !math.IsNaN(both) && !math.IsInf(both, 0) {
		out += fmt.Sprintf(", ahead by %.2g ± %.2g", t.Gap, t.Error)
	}
	return out
}

// estimated writes an expected reward and its 95 % interval, to two digits of the interval's half.
func estimated(x float64, ci [2]float64) string {
	digits := 0
	if half := (ci[1] - ci[0]) / 2; half > 0 {
		digits = min(max(0, 1-int(math.Floor(math.Log10(half)))), 9)
	}
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, x, digits, ci[0], digits, ci[1])
}

// remaining writes a time that is left in a unit like days, "" if it is not known yet.
func remaining(x float64, unit string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || x <= 0 {
		return ""
	}
	words := strconv.FormatFloat(x, 'g', 2, 64)
	if words == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	return words + " " + unit
}

// settings says at what an arm is measured, as far as its name does not: the names of its features without the x_ of the
// table, with their values; of a feature that is 0 or 1 throughout the list, its name if it is 1.
func settings(columns []string, plates []plate, row campaign.ListRow) string {
	var out []string
	named := strings.Split(row.Arm, ", ")
	for k, column := range columns {
		if k >= len(row.Settings) {
			break
		}
		name := strings.TrimPrefix(column, "x_")
		switch {
		case row.Arm == row.Settings[k] || slices.Contains(named, column+"="+row.Settings[k]):
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
		if slices.ContainsFunc(p.Rows, func(r pull) bool { return r.Settings[k] != "0" && r.Settings[k] != "1" }) {
			return false
		}
	}
	return true
}

func (s *server) show(w http.ResponseWriter, status int, v view) {
	v.Protocol = s.c.Protocol()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	pages.ExecuteTemplate(w, "page.html", v)
}

func (s *server) stranger(w http.ResponseWriter) {
	s.show(w, http.StatusForbidden, view{Page: "stranger"})
}

func (s *server) fail(w http.ResponseWriter, by string, err error) {
	s.show(w, http.StatusInternalServerError, view{By: by, Page: "error", Said: []said{{Text: err.Error(), Wrong: true}}})
}

// person lets only invited people in, each to their own place, by their cookie. Nothing that others send is read.
func (s *server) person(next func(w http.ResponseWriter, r *http.Request, by string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, c := range r.CookiesNamed(cookie) {
			if by, ok := s.c.Invited(c.Value); ok && placeOf(c.Value) == r.PathValue("place") {
				r.Body = http.MaxBytesReader(w, r.Body, 4*mostUpload) // a sheet in a form has up to three bytes for one
				next(w, r, by)
				return
			}
		}
		s.stranger(w)
	}
}

// invitation shows who a link is for. The cookie is set by a further step: a browser sends a strict
// cookie only with requests that begin on the page itself.
func (s *server) invitation(w http.ResponseWriter, r *http.Request) {
	secret := r.PathValue("secret")
	by, ok := s.c.Invited(secret)
	if !ok {
		s.stranger(w)
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "join", Secret: secret})
}

func (s *server) join(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostStranger)
	secret := r.PostFormValue("secret")
	if _, ok := s.c.Invited(secret); !ok {
		s.stranger(w)
		return
	}
	at := "/p/" + placeOf(secret) + "/"
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: secret, Path: at, HttpOnly: true, Secure: s.secure,
		SameSite: http.SameSiteStrictMode, MaxAge: 180 * 24 * 3600})
	http.Redirect(w, r, at, http.StatusSeeOther)
}

func (s *server) tasks(w http.ResponseWriter, r *http.Request, by string) {
	st, err := s.c.Status(r.Context())
	if err != nil {
		s.fail(w, by, err)
		return
	}
	s.show(w, http.StatusOK, view{By: by, Page: "tasks", Status: &st})
}

// errPlain answers an address that others can reach without encryption.
var errPlain = errors.New("others can reach this address. Give --cert and --key, or --plain if you trust the network")

// Address says where the page is served.
type Address struct {
	Listen    string // host:port; "" is a free port of this machine alone
	Cert, Key string // files of TLS
	Plain     bool   // also without TLS where others can reach it
	// addresses under which people reach it besides, as https://lab.example.org
	URLs []string
}

// Serve serves the page until the context ends, and says where once it listens.
func Serve(ctx context.Context, c *folder.Campaign, a Address, said func(url string)) error {
	a.Listen = cmp.Or(a.Listen, "127.0.0.1:0")
	if (a.Cert == "") != (a.Key == "") {
		return errors.New("--cert and --key belong together")
	}
	secure := a.Cert != ""
	host, _, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return fmt.Errorf("--listen must be HOST:PORT, got %q", a.Listen)
	}
	if ip := net.ParseIP(host); !secure && !a.Plain && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errPlain
	}
	l, err := net.Listen("tcp", a.Listen)
	if err != nil {
		return err
	}
	scheme := "http"
	own := ownNames(host, a.URLs)
	if secure {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			l.Close()
			return fmt.Errorf("the certificate cannot be used: %w", err)
		}
		if pair.Leaf != nil {
			own = append(own, pair.Leaf.DNSNames...)
		}
		l, scheme = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), "https"
	}
	server := &http.Server{Handler: hosted(New(c, secure), c, own), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	said(scheme + "://" + l.Addr().String())
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		server.Shutdown(late)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
