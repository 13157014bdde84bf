package folder_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// protocol makes the protocol of a table that the campaign keeps. It is all that a program needs to go on tomorrow.
func protocol(_ context.Context, r question.Recipe) (campaign.Protocol, error) {
	joint, err := kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.RBF{Lengthscale: []float64{20}}))
	if err != nil {
		return campaign.Protocol{}, err
	}
	p, err := problem.Load(r.Data[0].Path, joint, problem.LoadOptions{
		Goal: problem.GoalMax, Noise: problem.NoiseModel{Scales: []float64{2}}, Read: func(string) ([]byte, error) { return r.Data[0].Content, nil },
	})
	return campaign.Protocol{
		Name: "days", Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1, Epsilon: 1}, Capacity: 8, Seed: 1,
	}, err
}

// A campaign without a script: recorded results are on the disk, and a program that is started again goes on.
func ExampleStart() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	recipe := question.Recipe{Data: []question.File{{Path: "yields.csv", Content: []byte("task,arm,x_temperature\noak,cold,10\noak,warm,40\n")}}}
	days, err := protocol(ctx, recipe)
	if err != nil {
		log.Fatal(err)
	}
	c, err := folder.Start(ctx, filepath.Join(dir, "days"), recipe, days, protocol, folder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	c.Close()

	// the next day
	c, err = folder.Open(ctx, filepath.Join(dir, "days"), protocol, folder.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	yield := map[string]float64{"cold": 10, "warm": 40}
	for {
		list, err := c.Ask(ctx, campaign.Request{By: "robot"})
		if err != nil {
			log.Fatal(err)
		}
		if len(list.Rows) == 0 {
			break
		}
		for _, row := range list.Rows {
			if _, err := c.TellOne(ctx, row.ID, yield[row.Arm], campaign.TellOptions{By: "robot"}); err != nil {
				log.Fatal(err)
			}
		}
	}
	if _, err := c.Do(ctx, &campaign.Comment{Text: "the robot is free again", By: "robot"}); err != nil {
		log.Fatal(err)
	}
	status, err := c.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.Tasks[0].Task, status.Tasks[0].Arm, status.Ended)
	// Output: oak warm decided
}
