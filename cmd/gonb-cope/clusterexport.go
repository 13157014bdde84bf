package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/report"
)

func clusterExportCommand() *cobra.Command {
	var o runFlags
	var output string
	c := &cobra.Command{
		Use: "export RUN", Short: "Counts and means of every round, and the result", Args: arguments(1, 1, "a run"),
		Long: `Write what the agents told each other: round, task, arm, count and mean, one row for each arm that
was pulled, to a .csv file or standard output. With --json, or -o FILE.json,
write the result: answers, traffic, and where builds differed. Where no agent can take a
plan or a message, what was told before it is written, and the status is 1.`,
		RunE: func(c *cobra.Command, args []string) error {
			end := strings.ToLower(filepath.Ext(output))
			if output != "" && end != ".csv" && end != ".json" {
				return usageError{fmt.Errorf("-o must end in .csv or .json, got %q", output)}
			}
			x, err := o.join(c.Context())
			if err != nil {
				return err
			}
			defer x.Close()
			f, rounds, q, refused := cluster.Replay(c.Context(), x, args[0], makeQuestion)
			if refused != nil && f.Refused == "" {
				return refused
			}
			write := func(w io.Writer) error {
				if o.json || end == ".json" {
					return writeFinished(w, f)
				}
				return writeRounds(w, q, rounds)
			}
			if output == "" {
				return errors.Join(write(os.Stdout), refused)
			}
			return errors.Join(report.WriteFile(output, write), refused)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file, .csv or .json")
	return o.add(c)
}

// writeFinished writes what became of a run as JSON.
func writeFinished(w io.Writer, f cluster.Finished) error {
	out := struct {
		cluster.Finished
		Result any `json:"result,omitempty"`
	}{Finished: f}
	if f.Result != nil {
		out.Result = report.JSONValue(*f.Result)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// writeRounds writes counts and means as CSV.
func writeRounds(w io.Writer, q question.Question, rounds []cluster.RoundCounts) error {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	c := csv.NewWriter(w)
	header := []string{"round", "task", "arm", "count", "mean"}
	squares := len(rounds) > 0 && rounds[0].Squares != nil
	if squares {
		header = append(header, "squares")
	}
	err := c.Write(header)
	for _, r := range rounds {
		for i, n := range r.Counts {
			if n == 0 {
				continue
			}
			names := q.Problem.NamesOf(i)
			row := []string{strconv.Itoa(r.Round), names[0], names[1], strconv.Itoa(n), number(r.Means[i])}
			if squares {
				row = append(row, number(r.Squares[i]))
			}
			err = errors.Join(err, c.Write(row))
		}
	}
	c.Flush()
	return errors.Join(err, c.Error())
}
