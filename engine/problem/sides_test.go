package problem

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Rewards of one task are brought into one order of blocks; a block that an arm lacks, or has twice, and a
// column that is not there are errors that say where.
func TestBlocksOfRewards(t *testing.T) {
	const table = "task,arm,mean\none,a,1.5\none,b,3.5\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "table.csv")
	raw := filepath.Join(dir, "raw.csv")
	load := func(text, block string) (*Problem, error) {
		for name, text := range map[string]string{path: table, raw: text} {
			try.To(os.WriteFile(name, []byte(text), 0o600))
		}
		return Load(path, SameArms(), LoadOptions{Rewards: raw, Block: block})
	}
	p, err := load("task,arm,rep,reward,day\none,a,1,1,mon\none,a,2,2,tue\none,b,1,4,tue\none,b,2,3,mon\n", "day")
	if err != nil {
		t.Fatal(err)
	}
	if p.Block == nil || p.Block.Name != "day" || !slices.Equal(p.Rewards[0], []float64{1, 2}) || !slices.Equal(p.Rewards[1], []float64{3, 4}) {
		t.Errorf("block %v, rewards %v", p.Block, p.Rewards)
	}
	if p, err = load("task,arm,rep,reward\none,a,1,1\none,a,2,2\none,b,2,4\none,b,1,3\n", "rep"); err != nil || !slices.Equal(p.Rewards[1], []float64{3, 4}) {
		t.Errorf("by rep: error %v", err)
	}
	if p, err = load("task,arm,rep,reward\none,a,1,1\none,a,2,2\none,b,2,4\none,b,1,3\n", ""); err != nil || p.Block != nil {
		t.Errorf("without blocks: error %v", err)
	}
	for want, text := range map[string]string{
		"All arms of a task need the same blocks": "task,arm,rep,reward,day\none,a,1,1,mon\none,a,2,2,tue\none,b,1,3.5,tue\n",
		"has no reward in block":                  "task,arm,rep,reward,day\none,a,1,1,mon\none,a,2,2,tue\none,b,1,4,tue\none,b,2,3,wed\n",
		"has two rewards in block \"tue\"":        "task,arm,rep,reward,day\none,a,1,1,mon\none,a,2,2,tue\none,b,1,4,tue\none,b,2,3,tue\n",
		"day":                                     "task,arm,rep,reward\none,a,1,1\none,a,2,2\none,b,1,4\none,b,2,3\n",
	} {
		if _, err := load(text, "day"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
