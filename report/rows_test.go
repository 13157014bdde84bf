package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func csvRecords(t *testing.T, v any) [][]string {
	t.Helper()
	var b bytes.Buffer
	try.To(CSV(&b, v))
	return try.Of(csv.NewReader(&b).ReadAll())
}

// A row of a run has what is swept, the settings and what the run measured.
func TestRunRows(t *testing.T) {
	records := csvRecords(t, RunSweep())
	want := []string{
		"delta,xi,problem,mode,algorithm,reference,schedule,epsilon,budget,ridge,seed,run,samples,rounds,wrong,undecided,wrong_tasks,regret",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,1,9000,4,false,false,0,0",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,2,9100.5,4,true,false,2,0.04",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,3,10000,3,false,true,0,0.3333333333333333",
		"0.05,0.25,coupling & <yield>,fc,CoKernelFC,false,tuned,0.02,,0.001,7,1,400,2,,true,,",
		"0.05,0.25,coupling & <yield>,fc,CoKernelFC,false,tuned,0.02,,0.001,7,2,400,2,,true,,",
	}
	var got []string
	for _, r := range records {
		got = append(got, strings.Join(r, ","))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	s := RunSweep()
	s.Rows[1].Result.Detail = nil
	if err := CSV(&bytes.Buffer{}, s); err == nil || !strings.Contains(err.Error(), "no record of its single runs") {
		t.Errorf("error %v", err)
	}
}

// JSON has the single runs where they were asked for.
func TestJSONOfRuns(t *testing.T) {
	s := RunSweep()
	for per, want := range map[string]bool{sim.PerRun: true, sim.PerCell: false, "": false} {
		s.Per = per
		var b bytes.Buffer
		try.To(JSON(&b, Document{Displays: []Display{{Value: s}}}))
		if got := strings.Contains(b.String(), `"wrong_tasks"`); got != want || s.Rows[0].Result.Detail == nil {
			t.Errorf("rows=%q: runs in JSON %v, want %v", per, got, want)
		}
	}
}
