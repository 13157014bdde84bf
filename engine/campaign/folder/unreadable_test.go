package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A disk that fails to read gets another message than a damaged database: a backup is the wrong remedy if the folder is
// whole.
func TestUnreadable(t *testing.T) {
	p := small(t)
	dir := filepath.Join(t.TempDir(), "days")
	c := try.Of(Start(t.Context(), dir, recipe, p, again(p), Options{}))
	defer c.Close()
	// 8458 is a failure to read (SQLITE_IOERR_CORRUPTFS), and 11 is damage (SQLITE_CORRUPT)
	page := c.db.unsound("*** in database main ***\nTree 6 page 6: unable to get the page. error code=8458")
	for _, x := range []struct {
		err  error
		want string
	}{
		{page, "the disk cannot read the database, which may be undamaged"},
		{c.db.unsound("Tree 6 page 6: unable to get the page. error code=11"), "is damaged"},
		{c.db.unsound("row 3 missing from index"), "is damaged"},
		{c.db.explain(t.Context(), page), "the database is undamaged. Try again"},
	} {
		if !strings.Contains(x.err.Error(), x.want) {
			t.Errorf("%q, want %q", x.err, x.want)
		}
	}
	try.To(os.Rename(c.db.path, c.db.path+" away"))
	if err := c.db.explain(t.Context(), page); !strings.Contains(err.Error(), "First copy the folder to another disk") {
		t.Errorf("a file that cannot be read: %q", err)
	}
}
