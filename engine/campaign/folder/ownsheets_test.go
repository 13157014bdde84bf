package folder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// own returns a protocol on a long table with columns of the laboratory's own names, semicolons, decimal commas and a byte order mark.
func own(t *testing.T) campaign.Protocol {
	t.Helper()
	path := filepath.Join(t.TempDir(), "versuche.csv")
	text := "\ufeffStoff;Base;Temp / °C;Ausbeute in %;n;s\nÖl A;KOH;60;32,4;3;1\nÖl A;KOH;72,5;40;3;1,5\nÖl B;KOH;60;32,4;3;1\nÖl B;KOH;72,5;38,1;3;1\n"
	try.To(os.WriteFile(path, []byte(text), 0o666))
	p := try.Of(problem.Load(path, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}, problem.LoadOptions{
		Long:  &problem.Long{Task: []string{"stoff"}, Arm: []string{"Base", "Temp / °C"}, Reward: "Ausbeute in %", Count: "n", SD: "s"},
		Noise: problem.NoiseModel{Scales: []float64{2}},
	}))
	return campaign.Protocol{Name: "tage", Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1, Epsilon: 0.5}, Seed: 3}
}

// Sheets may have the columns of the laboratory's own table: its arms by their settings, its rewards under
// their name, also beside ids.
func TestOwnColumns(t *testing.T) {
	c := begin(t, own(t), Options{})
	l := asked(t, c, "Ann", 3)
	for _, s := range []struct {
		name, text string
		attach     bool
		want       map[string]int
		says       string
	}{
		// an empty line and an empty reward do not count as measurements; the column Wer is a note
		{"earlier measurements", "Stoff;Base;Temp / °C;Ausbeute in %;Wer\nÖl A;KOH;72,5;39,5;Ann\nÖl B;KOH;60;;Ann\n;;;;\n", true, map[string]int{campaign.RowNew: 1, campaign.RowWaiting: 1}, ""},
		{"in another order, with points", "Temp / °C,base,AUSBEUTE IN %,stoff\n60,KOH,33.5,Öl A\n", true, map[string]int{campaign.RowNew: 1}, ""},
		{"means", "Stoff;Base;Temp / °C;Ausbeute in %;n;s\nÖl A;KOH;60;33,5;4;1,25\n", true, map[string]int{campaign.RowNew: 1}, ""},
		{"another arm", "Stoff;Base;Temp / °C;Ausbeute in %\nÖl A;NaOH;60;33,5\n", true, map[string]int{campaign.RowBad: 1}, `has no arm "Base=NaOH, Temp / °C=60"`},
		{"results of the round", "Stoff;Base;Temp / °C;Ausbeute in %\nÖl A;KOH;72,5;39,25\n", false, map[string]int{campaign.RowNew: 1}, ""},
		{"ids and their own reward", "Id;Ausbeute in %;Ofen\n" + l.Rows[0].ID + ";41,5;3\n" + l.Rows[1].ID + ";;\n", false, map[string]int{campaign.RowNew: 1, campaign.RowWaiting: 1}, ""},
		// a list has a column reward, which counts before the table's own
		{"a list", "id;task;arm;reward;Ausbeute in %\n" + l.Rows[2].ID + ";;;40,5;1\n", false, map[string]int{campaign.RowNew: 1}, ""},
		{"by name", "task;arm;reward\nÖl B;\"Base=KOH, Temp / °C=60\";40,75\n", true, map[string]int{campaign.RowNew: 1}, ""},
	} {
		// attached sheets have no ids, and sheets of results fill the open round
		tell := (*Campaign).Tell
		if s.attach {
			tell = func(c *Campaign, ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
				return attachBy(ctx, c, sheet, opt)
			}
		}
		r, err := tell(c, t.Context(), []byte(s.text), campaign.TellOptions{By: "Ann", Sheet: s.name + ".csv", Sure: true})
		if err != nil || fmt.Sprint(r.Counts) != fmt.Sprint(s.want) || !strings.Contains(fmt.Sprint(r.Lines), s.says) {
			t.Errorf("%s: %v, %+v, want %v", s.name, err, r, s.want)
		}
	}
	try.Of(closeBy(t.Context(), c, "the week is over", "Ann"))
	out := filepath.Join(t.TempDir(), "out")
	try.To(c.Export(t.Context(), out))
	measured, err := os.ReadFile(filepath.Join(out, "measurements.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{",41.5,", ",39.25,", ",40.5,", ",33.5,", "Wer=Ann", "Ofen=3"} {
		if !strings.Contains(string(measured), want) {
			t.Errorf("%s is not among the measurements:\n%s", want, measured)
		}
	}
	if strings.Contains(string(measured), "Stoff=") || strings.Contains(string(measured), "%=39") {
		t.Errorf("columns that were read are notes, too:\n%s", measured)
	}
	// the message names the table's own columns, too
	_, err = c.Tell(t.Context(), []byte("Stoff;Ausbeute\nÖl A;3\n"), campaign.TellOptions{By: "Ann", Sheet: "x.csv"})
	wants(t, err, "Name its columns id,reward, or task,arm,count,mean, or task,arm,reward, or stoff,Base,Temp / °C,Ausbeute in %")
}
