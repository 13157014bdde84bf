package dsl_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

// A program of a laboratory starts a campaign of a script, asks, records results, and reads the progress,
// without a notebook and without the command. The command and a notebook can continue the campaign.
func ExampleReadProtocol() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	table := "task,arm,x_temperature\noak,cold,10\noak,warm,40\n"
	if err := os.WriteFile(filepath.Join(dir, "yields.csv"), []byte(table), 0o666); err != nil {
		log.Fatal(err)
	}
	script := `
p = problem("yields.csv", kernel=task(identity()) * arm(rbf(20)), noise=2)
days = protocol(p, delta=0.1, epsilon=1, capacity=8, seed=1, runs=0)`

	protocol, recipe, err := dsl.ReadProtocol(ctx, "days.cope", script, dsl.Options{Folder: dir})
	if err != nil {
		log.Fatal(err)
	}
	c, err := folder.Start(ctx, filepath.Join(dir, "days"), recipe, protocol, dsl.MakeProtocol, folder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close() // tomorrow: folder.Open(ctx, "days", dsl.MakeProtocol, folder.Options{})

	list, err := c.Ask(ctx, campaign.Request{By: "robot"})
	if err != nil {
		log.Fatal(err)
	}
	// A robot records each result by itself. The reward follows from the only feature of the arm.
	for _, row := range list.Rows {
		receipt, err := c.TellOne(ctx, row.ID, row.X[0]/4, campaign.TellOptions{By: "robot"})
		if err != nil || receipt.Refused() {
			log.Fatal(err, receipt)
		}
	}
	// A mistake is corrected under its id; the record keeps both values.
	if _, err := c.Do(ctx, &campaign.Correct{ID: list.Rows[0].ID, Value: 3, Reason: "read from the wrong column", By: "Ann"}); err != nil {
		log.Fatal(err)
	}
	// The next round is planned where one is due.
	if err := c.Advance(ctx); err != nil {
		log.Fatal(err)
	}
	status, err := c.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(list.Rows), status.Rounds, status.Corrected)
	// Output: 6 1 1
}
