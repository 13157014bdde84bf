package folder

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // the database, without cgo

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Schema is the version of the tables. This program refuses a database with a larger version. New kinds of events and new
// fields of bodies do not change it.
const Schema = 1

// DatabaseFile is the name of the database in the folder of a campaign.
const DatabaseFile = "campaign.db"

// tables creates the tables of a new database. The triggers protect recorded rows: to change a row, a person must first
// remove them, and the hashes then show the change.
//
// Table meta has the schema version, and the number and hash of the last event, which detect events removed from the end.
// Table event has the events, with times in RFC 3339 in UTC, and bodies as the JSON text that was hashed. Table file has
// the content of each file by its SHA-256 in hexadecimal.
const tables = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE event (
	seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE TABLE file (sha256 TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_remains BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
CREATE TRIGGER file_stays BEFORE UPDATE ON file BEGIN SELECT RAISE(ABORT, 'files are never changed'); END;
CREATE TRIGGER file_remains BEFORE DELETE ON file BEGIN SELECT RAISE(ABORT, 'files are never removed'); END;
`

// database is an open database. It implements record.Store.
type database struct {
	db    *sql.DB // at most two connections
	dir   string  // folder of the campaign, as the caller gave it
	path  string  // path of the original file, also if a copy is read
	copy  string  // folder of the copy that is read instead; "" if the original can be written
	cache cache   // its file is read and written without a lock
	// why a copy is read and nothing can be recorded; nil without a copy
	refused error
}

// openDatabase opens a database. A commit returns only after it is on disk (synchronous=FULL), and readers do not wait for
// writers (WAL). Transactions take the write lock at their beginning (_txlock), because a transaction that reads first and
// then writes could be refused. If the database does not exist, create makes it; otherwise the first query fails.
func openDatabase(path string, create bool) (*database, error) {
	mode := "rw"
	if create {
		mode = "rwc"
	}
	q := url.Values{"mode": {mode}, "_pragma": {"busy_timeout(2000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)"},
		"_txlock": {"immediate"}}
	db, err := sql.Open("sqlite",
		(&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	// one connection for the transaction, and one for reads during it, such as the stored files of added arms
	db.SetMaxOpenConns(2)
	return &database{db: db, path: path, dir: filepath.Dir(path)}, nil
}

// as returns the database for a program with the given options. Two builds of the same revision do not share a cache,
// because their rounding may differ.
func (d *database) as(opt Options) *database {
	d.cache = cache{filepath.Join(d.dir, cacheFile), fmt.Sprintf("%d %s", opt.Decides(), opt.Program())}
	return d
}

// String implements record.Store: it returns the folder.
func (d *database) String() string { return d.dir }

// Close implements record.Store. It removes the copy if there is one.
func (d *database) Close() error {
	err := d.db.Close()
	if d.copy != "" {
		err = errors.Join(err, os.RemoveAll(d.copy))
	}
	return err
}

// create makes the tables of a campaign without events.
func (d *database) create(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ('schema', ?), ('seq', '0'), ('hash', '')", fmt.Sprint(Schema))
	return err
}

// checkSchema returns an error if the database is not a campaign, or was written by a later version.
func (d *database) checkSchema(ctx context.Context) error {
	var text string
	err := d.db.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = 'schema'").Scan(&text)
	if err != nil {
		if codeOf(err) == codeError || errors.Is(err, sql.ErrNoRows) { // the table meta or its row is missing
			return fmt.Errorf("%s holds no campaign: %w", d.path, err)
		} else if codeOf(err) == codeNotADB {
			return fmt.Errorf("%s holds no campaign, or a damaged one: %w", d.path, err)
		}
		return fmt.Errorf("%s: %w", d.path, inWords(err))
	}
	var schema int
	if _, err := fmt.Sscan(text, &schema); err != nil {
		return fmt.Errorf("%s: its schema is %q, which is not a number", d.path, text)
	}
	if schema > Schema {
		return fmt.Errorf("%s was written by a later version (schema %d; this one reads %d and earlier): install that version", d.path,
			schema, Schema)
	}
	return nil
}

// checkTriggers returns an error if a trigger of tables is missing or differs: without triggers, events can be changed.
// SQLite keeps the text of a trigger unchanged, so that texts can be compared.
func (d *database) checkTriggers(ctx context.Context) error {
	for line := range strings.Lines(tables) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "CREATE TRIGGER") {
			continue
		}
		var there bool
		err := d.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT * FROM sqlite_master WHERE type = 'trigger' AND sql = ?)",
			strings.TrimSuffix(line, ";")).Scan(&there)
		if err != nil {
			return inWords(err)
		}
		if !there {
			return fmt.Errorf("the database has lost its protection of events against changes: %s", strings.Fields(line)[2])
		}
	}
	return nil
}

// snapshot calls f with a view of the database at one moment. f does not see later writes, and does not block writers.
func (d *database) snapshot(ctx context.Context, f func(querier) error) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return inWords(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil { // BeginTx would take the write lock
		return inWords(err)
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return f(conn)
}

// transaction runs f in a transaction that holds the database's write lock from its beginning (_txlock). f therefore reads
// current rows when it writes. If f returns an error, everything is rolled back.
func (d *database) transaction(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return inWords(err)
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return inWords(tx.Commit())
}

// querier is a transaction, a connection or a database.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// After implements record.Store.
func (d *database) After(ctx context.Context, seq int64) ([]campaign.Event, error) {
	return events(ctx, d.db, seq)
}

// events returns the events with numbers above after, in order. It does not check hashes.
func events(ctx context.Context, q querier, after int64) ([]campaign.Event, error) {
	rows, err := q.QueryContext(ctx, "SELECT seq, kind, at, by, body, hash FROM event WHERE seq > ? ORDER BY seq", after)
	if err != nil {
		return nil, inWords(err)
	}
	defer rows.Close()
	var out []campaign.Event
	for rows.Next() {
		var e campaign.Event
		var at, body string
		if err := rows.Scan(&e.Seq, &e.Kind, &at, &e.By, &body, &e.Hash); err != nil {
			return nil, inWords(err)
		}
		if e.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, fmt.Errorf("event %d was changed: its time is %q", e.Seq, at)
		}
		e.Body = json.RawMessage(body)
		out = append(out, e)
	}
	return out, inWords(rows.Err())
}

// head returns the number and the hash of the last event according to table meta; 0 and "" before the first event.
func head(ctx context.Context, q querier) (seq int64, hash string, err error) {
	err = q.QueryRowContext(ctx, "SELECT s.value, h.value FROM meta s, meta h WHERE s.name = 'seq' AND h.name = 'hash'").Scan(&seq, &hash)
	return seq, hash, inWords(err)
}

// Append implements record.Store.
func (d *database) Append(ctx context.Context, list []campaign.Event, files []campaign.File) error {
	seq, hash := readHead(d.dir)
	err := d.transaction(ctx, func(tx *sql.Tx) error {
		// a folder that lost its last events must not continue: it would reuse the numbers of events that exist elsewhere
		if err := d.checkHead(ctx, tx, seq, hash); err != nil {
			return err
		}
		return fill(ctx, tx, list, files)
	})
	if err != nil && ctx.Err() == nil {
		err = &record.UnrecordedError{Err: d.explain(ctx, err)}
	}
	if err != nil {
		return err
	}
	// after the commit: if the program is killed before, the head is behind, which is harmless
	writeHead(d.dir, list[len(list)-1])
	return nil
}

// fill writes files and sealed events. Files come first: an event must not name a missing file. On a system without file
// locks another program may have recorded events since these were made; it returns an error then.
func fill(ctx context.Context, tx *sql.Tx, list []campaign.Event, files []campaign.File) (err error) {
	defer try.Caught(&err)
	for _, f := range files {
		// an empty slice may be nil, which SQL stores as NULL
		_, err := tx.ExecContext(ctx, "INSERT INTO file (sha256, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
			fileHash(f.Content), append([]byte{}, f.Content...))
		try.To(inWords(err))
	}
	seq, hash := try.Two(head(ctx, tx))
	if campaign.CheckChainAfter(list, seq, hash) != nil {
		return errors.New("another program is writing to the campaign; try again")
	}
	for _, e := range list {
		seq, hash = e.Seq, e.Hash
		_, err := tx.ExecContext(ctx, "INSERT INTO event (seq, kind, at, by, body, hash) VALUES (?, ?, ?, ?, ?, ?)",
			e.Seq, e.Kind, e.At.UTC().Format(time.RFC3339Nano), e.By, string(e.Body), e.Hash)
		try.To(inWords(err))
	}
	// in the same transaction as the events
	_, err = tx.ExecContext(ctx, "UPDATE meta SET value = iif(name = 'seq', ?, ?) WHERE name IN ('seq', 'hash')", fmt.Sprint(seq), hash)
	return inWords(err)
}

// fileHash returns the SHA-256 of a file, in hexadecimal.
func fileHash(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// File implements record.Store. It returns an error if the content does not match the hash.
func (d *database) File(ctx context.Context, hash string) ([]byte, error) {
	var content []byte
	if err := d.db.QueryRowContext(ctx, "SELECT content FROM file WHERE sha256 = ?", hash).Scan(&content); err != nil {
		return nil, inWords(err)
	}
	if fileHash(content) != hash {
		return nil, fmt.Errorf("the recorded file %.12s was changed: its hash does not match", hash)
	}
	return content, nil
}

// files returns all recorded files by their hashes.
func files(ctx context.Context, q querier) (map[string][]byte, error) {
	rows, err := q.QueryContext(ctx, "SELECT sha256, content FROM file")
	if err != nil {
		return nil, inWords(err)
	}
	defer rows.Close()
	all := map[string][]byte{}
	for rows.Next() {
		var hash string
		var content []byte
		if err := rows.Scan(&hash, &content); err != nil {
			return nil, inWords(err)
		}
		all[hash] = content
	}
	return all, inWords(rows.Err())
}

// The result codes of SQLite that users encounter (https://www.sqlite.org/rescode.html).
const (
	codeError, codeBusy, codeReadOnly, codeInput, codeCorrupt, codeFull, codeCantOpen, codeNotADB = 1, 5, 8, 10, 11, 13, 14, 26
)

// codeNoRoom is the extended result code of a -shm file that cannot grow (SQLITE_IOERR_SHMSIZE).
const codeNoRoom = codeInput | 19<<8

// inWords adds an explanation for users to an error of SQLite. The result wraps the error, so that codeOf finds its code.
// Other errors are returned unchanged.
func inWords(err error) error {
	e := (*sqlite.Error)(nil)
	if err == nil || !errors.As(err, &e) {
		return err
	}
	what := ""
	// the low byte of an extended code is the basic code
	switch e.Code() & 0xff {
	case codeFull:
		what = "the disk is full: free some space and try again"
	case codeInput:
		what = "the disk cannot be read or written"
		if e.Code() == codeNoRoom {
			what = "the disk is full, or cannot be written: free some space and try again"
		}
	case codeBusy:
		what = "another program is writing to the campaign; try again"
	case codeReadOnly:
		what = "the folder of the campaign cannot be written"
	case codeCorrupt, codeNotADB:
		what = "the database is damaged. Restore the folder from a backup; campaign verify shows what is left"
	case codeCantOpen:
		what = "the database cannot be opened"
	default:
		return err
	}
	if strings.HasPrefix(err.Error(), what) {
		return err // already explained
	}
	return fmt.Errorf("%s: %w", what, err)
}
