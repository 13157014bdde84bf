package folder

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/faulttable"
)

// Every row of the table of faults names a test that is there.
func TestEveryRowIsTested(t *testing.T) {
	faulttable.Check(t, "faults.md", "What each fault does", 15)
}
