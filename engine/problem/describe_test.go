package problem

import (
	"fmt"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestDescribeGuesses: what columns of strangers' tables may mean.
func TestDescribeGuesses(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{"Week;Oven line;Dough;Volume ml\n1;L1;rye;1\n1;L1;spelt;2\n2;L1;spelt;3\n2;L1;rye;4,5\n1;L2;rye;2\n1;L2;spelt;2,5\n2;L2;spelt;3,5\n2;L2;rye;4\n", `task "Oven line", arm [Dough], blocks [Week], reward "Volume ml"`},
		{"plot,variety,block,yield\n1,a,1,5\n2,b,1,6\n3,a,2,5.5\n4,b,2,7\n", `task "", arm [variety], blocks [block], reward "yield"`},
		{"site,variety,yield\nx,a,5\nx,b,6\ny,a,5.5\ny,b,7\n", `task "site", arm [variety], blocks [], reward "yield"`},
		{"site,drug,cured,n\nx,a,5,9\nx,b,6,9\ny,a,5,8\ny,b,7,8\n", `task "site", arm [drug], blocks [], reward "", counts [cured n]`},
		{"model,lr,loss\nm,0.1,5\nm,0.2,6\nn,0.1,5.5\nn,0.2,7\n", `task "model", arm [lr], blocks [], reward "loss", lower`},
		{"country,variant,users,conversions\nDE,A,400,44\nDE,B,900,92\nFR,A,400,30\nFR,B,900,50\n",
			`task "country", arm [variant], blocks [], reward "", counts [conversions users]`},
		{"machine,lr,batch,val_loss,state\na,1e-3,32,1,ok\na,1e-2,64,2,ok\nb,1e-3,64,NaN,crashed\nb,1e-2,32,3,ok\n",
			`task "machine", arm [lr batch], blocks [], reward "val_loss", but "NaN", lower`},
		{"batch,dose,yield\n8,1,1\n8,2,2\n9,1,3\n9,2,4\n", `task "", arm [dose], blocks [batch], reward "yield"`},
		{"batch_size,dose,yield\n8,1,1\n8,2,2\n9,1,3\n9,2,4\n", `task "", arm [batch_size dose], blocks [], reward "yield"`},
		{"\ufeffRezept;Anlage 1;Anlage 2\r\nR1;80,07;63,39\r\nR1;77,22;62,37\r\nR2;71,1;60,2\r\nR2;72,1;61,2\r\n",
			`task "", arm [Rezept], blocks [], reward "Anlage 2", rewards [Anlage 1 Anlage 2]`},
		{"site,arm,yield\na,x,0\na,y,0\nb,x,0\nb,y,0\n", `task "site", arm [arm], blocks [], reward "yield"`}, // a first plate
		{"table,engine,seconds\ns,a,1\ns,b,5\nl,a,9000\nl,b,5000\n", `task "table", arm [engine], blocks [], reward "seconds", lower`},
		{"site,arm,won,shown\ns,x,5,10\ns,y,0,0\ns,z,3,10\n", `task "", arm [arm], blocks [], reward "", counts [won shown]`},
		{"temp,oil,y %\n1,a,5.5\n1,b,6.5\n1,a,7.5\n2,b,n. d.\n2,a,5\n2,b,6\n", `task "oil", arm [temp], blocks [], reward "y %", but "n. d."`},
	} {
		d := try.Of(Describe("t.csv", LoadOptions{Read: func(string) ([]byte, error) { return []byte(c.table), nil }}))
		got := fmt.Sprintf("task %q, arm %v, blocks %v, reward %q", d.Task, d.Arm, d.Blocks, d.Reward)
		if d.Counts != nil {
			got += fmt.Sprintf(", counts %v", d.Counts)
		}
		if d.Rewards != nil {
			got += fmt.Sprintf(", rewards %v", d.Rewards)
		}
		for _, x := range d.Columns {
			for _, word := range x.Words {
				got += fmt.Sprintf(", but %q", word)
			}
		}
		if d.Lower {
			got += ", lower"
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.table, got, c.want)
		}
	}
}
