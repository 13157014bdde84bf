package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Export writes the campaign for other programs into a folder, which must not exist or must be empty. It writes
// measurements.csv, answers.csv, log.csv, events.jsonl, the script and its data. measurements.csv includes results of the
// open round; answers.csv does not use them. If others record meanwhile, the files may be of different moments. If an
// error occurs, files already written remain.
func (c *Campaign) Export(ctx context.Context, dir string) (err error) {
	defer try.Caught(&err)
	try.To(emptyFolder(dir))
	m := try.Of(c.Moment(ctx))
	h := m.Export()
	try.To(copies(dir, c.Recipe()))
	st := try.Of(c.Status(ctx))
	// one row for each result; sd is empty for a single reward
	measurements := [][]string{{"id", "round", "plate", "position", "task", "arm", "number", "reward", "count", "sd", "kind", "by", "at",
		"sheet", "note", "measured_on", "confirmed", "old", "block", "limit"}}
	for _, m := range h.Measurements {
		sd := ""
		if m.Count > 1 {
			sd = number(m.SD)
		}
		measurements = append(measurements, []string{m.ID, whole(m.Round), whole(m.Plate), whole(m.Position), m.Task, m.Arm, whole(m.Number),
			number(m.Reward), strconv.Itoa(m.Count), sd, m.Kind,
			m.By, m.At.Format(time.RFC3339), m.Sheet, m.Note, m.OtherAt, m.Sure, strings.Join(lists.Map(m.Old, number), " "), m.Block,
			map[int8]string{-1: "at most", 1: "at least"}[m.Censored]})
	}
	// one row for each task, decided or not
	answers := [][]string{{"task", "decided", "arm", "leader", "estimate", "arms_open", "measured"}}
	for _, t := range st.Tasks {
		answers = append(answers, []string{t.Task, strconv.FormatBool(t.Decided), t.Arm, t.Leader, number(t.Estimate), strconv.Itoa(t.Open),
			strconv.Itoa(t.Samples)})
	}
	// events with a reason
	log := [][]string{{"event", "kind", "at", "by", "what", "reason"}}
	for _, l := range h.Log {
		log = append(log, []string{strconv.FormatInt(l.Seq, 10), string(l.Kind), l.At.Format(time.RFC3339), l.By, l.What, l.Reason})
	}
	try.To(errors.Join(writeCSV(filepath.Join(dir, "measurements.csv"), measurements), writeCSV(filepath.Join(dir, "answers.csv"), answers),
		writeCSV(filepath.Join(dir, "log.csv"), log)))
	return c.writeEvents(ctx, filepath.Join(dir, "events.jsonl"))
}

// number formats a number with the fewest digits that identify it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// whole formats a whole number; "" for 0, which means none.
func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// writeCSV writes rows, of which the first is the header. It changes cells in place, so that spreadsheets do not read them
// as formulas (formulas.Guard).
func writeCSV(path string, rows [][]string) error {
	for _, row := range rows {
		for k, text := range row {
			row[k] = formulas.Guard(text)
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// writeEvents writes one line for every event, with its hash.
func (c *Campaign) writeEvents(ctx context.Context, path string) error {
	list, err := events(ctx, c.db.db, 0)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := (record.Record{Events: list}).Write(&b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// Record returns all recorded events and files in one snapshot.
func (c *Campaign) Record(ctx context.Context) (r record.Record, err error) {
	err = c.db.snapshot(ctx, func(q querier) error {
		if r.Events, err = events(ctx, q, 0); err != nil {
			return err
		}
		r.Files, err = files(ctx, q)
		return err
	})
	return r, err
}

// Import writes the campaign of a record into a folder, and creates the folder if necessary. If the folder holds the same
// campaign, Import adds the missing events. It returns an error if the campaign in the folder has other events. added is
// the number of events added.
func Import(ctx context.Context, dir string, r record.Record, maker Maker, opt Options) (added int, err error) {
	if !exists(dir) {
		k, err := record.Open(ctx, &r, maker, opt)
		if err != nil {
			return 0, err
		}
		db, err := startWith(ctx, dir, opt, r.Events, r.Contents())
		if err != nil {
			return 0, err
		}
		(&Campaign{k, dir, db, opt}).writeCopies()
		return len(r.Events), db.Close()
	}
	c, err := Open(ctx, dir, maker, opt)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return added, c.Write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		known := min(m.Seq, int64(len(r.Events)))
		if !m.Has(known, r.Events[known-1].Hash) {
			return nil, fmt.Errorf("%s holds another campaign, or the same one with other results since the record was exported. Import the "+
				"record into a new folder", dir)
		}
		added = len(r.Events) - int(known)
		return r.Events[known:], nil
	}, r.Contents()...)
}

// invitesFile lists the people who may use the page: names with the hashes of their secrets. It is not part of the events,
// because people pass on copies of these. It is read for each request, so that Revoke takes effect at once.
const invitesFile = "invites.json"

// Invitation is a person who may use the page.
type Invitation struct {
	Name   string    `json:"name"`           // name under which the person asks and records; unique
	SHA256 string    `json:"sha256"`         // SHA-256 of the secret
	At     time.Time `json:"at"`             // time of the invitation
	Host   string    `json:"host,omitempty"` // host of the page in the link; "" if not given
}

// Invite makes a secret of at least 128 bits for a person, and replaces an earlier one. The secret is returned only here:
// the file keeps only its hash. A fast hash is sufficient for so many random bits. host is the host of the page in links;
// "" for none.
func (c *Campaign) Invite(ctx context.Context, host, name string) (secret string, err error) {
	if err := campaign.CheckName(name); err != nil {
		return "", err
	}
	// 26 characters with 5 bits each
	secret = rand.Text()
	return secret, c.changeInvites(ctx, func(list []Invitation) ([]Invitation, error) {
		alike := func(i Invitation) bool { return i.Name != name && campaign.SamePerson(i.Name, name) }
		if k := slices.IndexFunc(list, alike); k >= 0 {
			return nil, fmt.Errorf("%q looks like %q, who is invited. For the same person use that name. For another person choose a name that "+
				"differs in more than case, blanks and invisible characters", name, list[k].Name)
		}
		list = slices.DeleteFunc(list, func(i Invitation) bool { return i.Name == name })
		return append(list, Invitation{name, hashOf(secret), c.opt.Time().UTC(), host}), nil
	})
}

// Revoke removes the secret of a person, with immediate effect. Requests and results of the person remain. It returns an
// error if the name is not invited.
func (c *Campaign) Revoke(ctx context.Context, name string) error {
	return c.changeInvites(ctx, func(list []Invitation) ([]Invitation, error) {
		remaining := slices.DeleteFunc(slices.Clone(list), func(i Invitation) bool { return i.Name == name })
		if len(remaining) == len(list) {
			return nil, fmt.Errorf("no person named %q is invited", name)
		}
		return remaining, nil
	})
}

// Invitations returns the people who may use the page, in the order of their invitations. It returns nil if the file does
// not exist.
func (c *Campaign) Invitations() ([]Invitation, error) {
	data, err := readShort(filepath.Join(c.dir, invitesFile), mostInvites)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var list []Invitation
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// Invited returns the name of the person whom a secret belongs to. It compares the secret with all hashes, each in
// constant time, so that its duration reveals nothing. ok is false for an unknown secret, and if the file cannot be read.
func (c *Campaign) Invited(secret string) (name string, ok bool) {
	list, err := c.Invitations()
	if err != nil {
		return "", false
	}
	hash := []byte(hashOf(secret))
	for _, i := range list {
		if subtle.ConstantTimeCompare(hash, []byte(i.SHA256)) == 1 {
			name, ok = i.Name, true
		}
	}
	return name, ok
}

func hashOf(secret string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(secret))) }

// changeInvites replaces the list by f's result, atomically; only the owner may read the file. The folder's lock prevents
// simultaneous changes. f may modify its argument.
func (c *Campaign) changeInvites(ctx context.Context, f func([]Invitation) ([]Invitation, error)) (err error) {
	defer try.Caught(&err)
	l := try.Of(lock(ctx, c.dir))
	defer l.release()
	list := try.Of(c.Invitations())
	list = try.Of(f(list))
	text := try.Of(json.MarshalIndent(list, "", "  "))
	return atomicfile.Write(filepath.Join(c.dir, invitesFile), text, 0o600, true) // readable by its owner alone
}
