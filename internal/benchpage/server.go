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
	"percent":   func(share float64) string { return fmt.Sprintf("%d\u00a0%%", int(100*share)) }, // less than all never rounds to 100 %
	"sentence":  func(n campaign.Note) string { return sentence.Upper(n.String()) + "." },
}).ParseFS(files, "page.html"))

// mostUpload and mostStranger limit the bytes of a sheet and of a request from an unknown person. mostLines limits the
// lines of a receipt.
const (
	mostUpload   = 4 << 20
	mostStranger = 1 << 10
	mostLines    = 100
)

// cookie is the name of the cookie that contains a person's secret.
const cookie = "campaign"

// server answers requests about one campaign.
type server struct {
	c       *folder.Campaign
	secure  bool // whether the page is served over TLS
	guesses guesses
}

// New returns the page of a campaign. Set secure if it is served over TLS; browsers then send the cookie only over TLS.
func New(c *folder.Campaign, secure bool) http.Handler {
	s := &server{c: c, secure: secure}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /join/{secret}", s.invitation)
	mux.HandleFunc("POST /join", s.join)
	for _, file := range []string{"page.css", "page.js"} {
		mux.HandleFunc("GET /"+file, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, file) })
	}
	mux.HandleFunc("GET "+place+"{$}", s.person(s.list))
	mux.HandleFunc("GET "+place+"tell", s.person(s.list)) // if the person goes back to the address of a form
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

// place is the path of a person's pages. Browsers send a cookie to all ports of a host, so programs of other users could
// receive a cookie for the whole host. These programs do not know the path of a person.
const place = "/p/{place}/"

// placeOf returns the place of the person with a secret. The place alone gives no access.
func placeOf(secret string) string {
	sum := sha256.Sum256([]byte("place of " + secret))
	return hex.EncodeToString(sum[:8])
}

// guarded sets the security headers: the page loads only its own files, and it is neither framed nor cached.
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

// view is the data of the template. Page selects the part of the template.
type view struct {
	By, Page         string
	Protocol         campaign.Protocol
	Said             []said // messages above all other content
	Round, Remaining int
	Columns          []string // names of the columns in the arms' settings
	Plates           []plate
	Fields           bool // whether a row has no result yet
	Rule             campaign.Note
	Worst            *float64 // reward for a failed pull; nil if unknown
	Status           *campaign.Status
	Receipt          *campaign.Receipt
	Good, Wrong      string // descriptions of the receipt's valid and invalid rows
	Lines            []campaign.ReceiptLine
	More             int  // number of lines not shown
	Doubted          bool // whether some rows may be confirmed
	Sheet, File      string
	Secret           string
}

// said is a message to the person. ID is the pull that it is about, or "".
type said struct {
	ID, Text string
	Wrong    bool
}

// plate is a part of a list: the rows of one plate.
type plate struct {
	Number int
	Rows   []pull
}

// pull is a row of the list with the input that was not stored and the message about it.
type pull struct {
	campaign.ListRow
	Typed, Why string
	Said       string
	Doubted    bool // the person may confirm the value
	Failing    bool // the person must enter a reason
	Focus      bool
}

func shown(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// lead returns the leader's estimate and its lead over the hardest rival, with the error of the lead if it is known.
func lead(t campaign.TaskStatus) string {
	out := fmt.Sprintf("leads with %.4g", t.Estimate)
	if both := t.Gap + t.Error; !math.IsNaN(both) && !math.IsInf(both, 0) {
		out += fmt.Sprintf(", ahead by %.2g ± %.2g", t.Gap, t.Error)
	}
	return out
}

// estimated returns an expected reward with its 95 % interval. The number of decimals shows two digits of half the
// interval.
func estimated(x float64, ci [2]float64) string {
	digits := 0
	if half := (ci[1] - ci[0]) / 2; half > 0 {
		digits = min(max(0, 1-int(math.Floor(math.Log10(half)))), 9)
	}
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, x, digits, ci[0], digits, ci[1])
}

// remaining returns the remaining time in a unit such as days, or "" if it is unknown.
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

// settings returns the features of an arm that its name does not contain: feature names without the prefix x_, and their
// values. For a feature with only the values 0 and 1 in the list, it returns the name if the value is 1.
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

// isSwitch reports whether feature k has only the values 0 and 1 in all rows of a list.
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

// person returns a handler for invited persons only. It identifies a person by the cookie, which must fit the path. The
// content of other requests is not read.
func (s *server) person(next func(w http.ResponseWriter, r *http.Request, by string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, c := range r.CookiesNamed(cookie) {
			if by, ok := s.c.Invited(c.Value); ok && placeOf(c.Value) == r.PathValue("place") {
				r.Body = http.MaxBytesReader(w, r.Body, 4*mostUpload) // form encoding can triple the size of a sheet
				next(w, r, by)
				return
			}
		}
		s.stranger(w)
	}
}

// invitation shows for whom an invitation is. A second step (join) sets the cookie, because a browser sends a strict
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

// errPlain refuses to serve an address without encryption if other machines can reach it.
var errPlain = errors.New("others can reach this address. Give --cert and --key, or --plain if you trust the network")

// Address states where the page is served.
type Address struct {
	Listen    string // host:port; "" means a free port that only this machine can reach
	Cert, Key string // files of a TLS certificate
	Plain     bool   // allow an address without TLS that other machines can reach
	// further addresses of the page, such as https://lab.example.org
	URLs []string
}

// Serve serves the page until the context ends. It calls said with the address when the server listens.
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
