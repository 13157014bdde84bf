package problem

import (
	"strings"
	"testing"
)

// A table may call the column of its arms task: a sheet with its columns has the names that the table has.
func TestSheetWhoseArmsAreCalledTask(t *testing.T) {
	for _, own := range []Long{{Task: []string{"site"}, Arm: []string{"task"}, Reward: "y"}, {Task: []string{"arm"}, Arm: []string{"task"}, Reward: "y"}} {
		data := strings.Join([]string{own.Task[0] + ",task,y", "Gent,left,1", "Oslo,right,2", ""}, "\n")
		s, _, err := ReadSheet("sheet.csv", []byte(data), &own, []string{"id", "reward"}, []string{"task", "arm", "reward"})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range [][2]string{{"Gent", "left"}, {"Oslo", "right"}} {
			if r := s.Rows[k]; r.Text("task") != want[0] || r.Text("arm") != want[1] {
				t.Errorf("task %q, arm %q; want %q", r.Text("task"), r.Text("arm"), want)
			}
		}
	}
}
