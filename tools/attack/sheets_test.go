//go:build unix

package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// hostile is a sheet that people or programs hand in, and what may be recorded of it.
type hostile struct {
	text  string
	value float64 // of all that is recorded; NaN if nothing may be
	flags []string
}

// hostileSheets are sheets on two pulls, with slips, other writings, other files and what machines would obey.
func hostileSheets(a, b, other string) []hostile {
	const head = "id,reward\n"
	never := math.NaN()
	row := func(value string) string {
		return head + a + "," + "\"" + strings.ReplaceAll(value, "\"", "\"\"") + "\"\n"
	}
	var all []hostile
	for _, v := range []string{"0.41", " 0.41", "4.1e-1", "0.41 ", ">0.41", "<0.41"} { // two of them are limits
		all = append(all, hostile{text: row(v), value: 0.41})
	}
	for _, v := range []string{
		"0.41 mg", "~0.41", "0.41*", "NaN", "nan", "#N/A", "-", "--", ".", "Inf", "-inf", "1e400", "-1e400", "1e308",
		"1.7976931348623157e308", "=0.41", "=0.41+1",
		"=cmd|'/C calc'!A0", "@SUM(1)", "'0.41", "41.May", "05.Jan", "2026-05-01", "1/2", "½", "0x1p3", "0x29", "1_000", "null", "4l",
		"4O", "1d5", "#DIV/0!", "\u202e0.41", "0.41;", "4 1",
	} {
		all = append(all, hostile{text: row(v), value: never})
	}
	for _, text := range []string{
		"", head, a + ",0.41\n", "reward,id\n" + a + ",0.41\n", "id,reward,reward\n" + a + ",0.41,0.42\n", "id,reward,reward\n" + a + ",,0.42\n", head + a + ",4\x001\n",
		head + other + ",0.41\n", head + "XXXXXX,0.41\n",
		head + a + ",0.41\n" + a + ",0.42\n", head + a + ",0.41\n" + strings.ToLower(a) + ",0.42\n",
		"id,reward,status,note\n" + a + ",0.41,,\n" + a + ",,failed,broke\n",
		"id,reward,status,note\n" + a + ",,failed,broke\n" + a + ",0.41,,\n", "id,reward,status,note\n" + a + ",0.41,failed,broke\n",
		"PK\x03\x04\x00\x00", "\x1f\x8b\x08",
		"id,reward,note\n" + a + ",0,41\n" + b + "\n", head + a + ",0.41,5,6\n", head + a + ",\"0.41\n" + b + ",0.42\n",
		"task,arm,count,mean,sd\nt0,a1,0,0.41,1\n", "task,arm,count,mean,sd\nt0,a1,1.5,0.41,1\n",
		"task,arm,count,mean,sd\nt0,a1,2,0.41,-1\n", "task,arm,count,mean,sd\nt0,a1,2,0.41,1e200\n", "task,arm,reward\nt0\u0301,a1,0.41\n",
	} {
		all = append(all, hostile{text: text, value: never})
	}
	for _, text := range []string{
		"\xef\xbb\xbf" + head + a + ",0.41\n", head + a + ",0.41\r\n", "\"id\",\"reward\"\n\"" + a + "\",\"0.41\"\n",
		"ID,REWARD\n" + a + ",0.41\n", "reward,id\n0.41," + a + "\n", head + a + ",0.41\n" + a + ",0.41\n",
		"Instrument 3\nOperator: X\n\n" + head + a + ",0.41\n", head + a + ",0.41\n" + strings.Repeat("\n", 20000),
		"id;reward\n" + a + ";0,41\n", "id|reward\n" + a + "|0.41\n", "sep=;\nid;reward\n" + a + ";0,41\n", head + strings.ToLower(a) + ",0.41\n",
		"id,reward,note\n" + a + ",0.41,\x1b]0;x\x07\n", "id,reward,note\n" + a + ",0.41,=cmd|'/C calc'!A0\n",
		"id,reward,note\n" + a + ",0.41,<img src=x onerror=alert(1)>\n", "id,reward,note\n" + a + ",0.41,\\input{/etc/passwd}\n",
		"id,reward," + strings.Repeat("c,", 30000) + "d\n" + a + ",0.41\n", "id,reward,reward\n" + a + ",0.41,0.41\n",
		"id,reward,note\n" + a + ",0.41," + strings.Repeat("x", 100000) + "\n", "id,reward,=1+1\n" + a + ",0.41,y\n",
		"id,reward,<script>alert(1)</script>\n" + a + ",0.41,y\n", head + strings.Repeat(a+",0.41\n", 5000),
	} {
		all = append(all, hostile{text: text, value: 0.41})
	}
	for _, h := range []hostile{{text: row("1e200"), value: never}, {text: row("1e99"), value: 1e99}, {text: row("TRUE"), value: 1},
		{text: head + a + ",1e308\n" + b + ",1e308\n", value: never}} {
		h.flags = []string{"--sure"}
		all = append(all, h)
	}
	return all
}

// handIn hands in hostile sheets, each to a fresh copy of a campaign. A refused sheet leaves nothing behind, a
// recorded one is recorded exactly, and all commands go on.
func (l *laboratory) handIn(ctx context.Context, s *series) error {
	ids := func(out string) ([]string, error) {
		var list struct{ Rows []struct{ ID string } }
		err := json.Unmarshal([]byte(out), &list)
		var all []string
		for _, r := range list.Rows {
			all = append(all, r.ID)
		}
		return all, err
	}
	var pulls [2][]string // of this campaign and of another one
	for k := range pulls {
		if err := l.start(ctx); err != nil {
			return err
		}
		out, err := l.must(ctx, "campaign", "ask", campaignFolder, "--by", "Ann", "--count", "6", "--json")
		if err != nil {
			return err
		}
		if pulls[1-k], err = ids(out); err != nil || len(pulls[1-k]) < 2 {
			return fmt.Errorf("no list of pulls in %q: %w", out, err)
		}
	}
	if err := copyFolder(l.path("kept"), l.path(campaignFolder)); err != nil {
		return err
	}
	before, err := l.events(ctx, "kept")
	if err != nil {
		return err
	}
	for k, h := range hostileSheets(pulls[0][0], pulls[0][1], pulls[1][0]) {
		if err := copyFolder(l.path(fmt.Sprint("c", k)), l.path("kept")); err != nil {
			return err
		}
		folder, name := fmt.Sprint("c", k), fmt.Sprintf("sheet%d.csv", k)
		if err := l.write(name, h.text); err != nil {
			return err
		}
		o, err := l.do(ctx, append([]string{"campaign", "tell", folder, name, "--by", "Ann"}, h.flags...)...)
		if err != nil {
			return err
		}
		found := append(o.badly(), o.maligns()...)
		now, err := l.events(ctx, folder)
		if err != nil {
			return err
		}
		if o.code != 0 && len(now) != len(before) {
			found = append(found, finding{half, "refused, and something is recorded: " + o.words()})
		}
		for _, e := range now[len(before):] {
			var body struct {
				Results []struct{ Reward float64 }
			}
			if err := json.Unmarshal(e.Body, &body); err != nil {
				return err
			}
			for _, r := range body.Results {
				if r.Reward != h.value { // as nothing is NaN
					found = append(found, finding{untrue, fmt.Sprintf("recorded as %g", r.Reward)})
				}
			}
		}
		for _, command := range []string{"verify", "status"} {
			after, err := l.do(ctx, "campaign", command, folder)
			if err != nil {
				return err
			}
			found = append(found, after.badly()...)
			if after.code != 0 {
				found = append(found, finding{map[string]figure{"verify": unproven, "status": other}[command], after.words()})
			}
		}
		text := h.text
		if len(text) > 80 {
			text = text[:80] + "…"
		}
		s.add(1, fmt.Sprintf("%q", text), found...)
	}
	return nil
}
