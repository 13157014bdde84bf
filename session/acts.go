package session

import (
	"fmt"
	"os"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Acts are calls of the functions of scripts that record something in a campaign. The kernel does them, so
// that they are the same acts as a cell's or a command's: with the same refusals, receipts and
// words, with paths relative to the notebook, and done again they change nothing. A campaign is named
// by what it is bound to in the session, or by its folder.
//
// What is refused panics, as readers do: an act whose error nobody looked at would be taken for
// recorded. Act returns the error. What is odd and harmless stands on standard error.

// Act calls start, resume, ask, tell, amend, fail, correct, close or attach with arguments by the names
// of their parameters, which are numbers, texts, truth values or lists of texts, and returns the value of
// the call: a campaign.Status, a campaign.List of ask, a campaign.Receipt of tell and attach.
//
//	st, err := session.Act("fail", map[string]any{"c": "days", "ids": []string{"K7M2PQ"}, "reason": "the vial broke"})
func Act(function string, args map[string]any) (any, error) {
	c, err := client(function)
	if err != nil {
		return nil, prefixed(err)
	}
	v, notices, err := c.Act(function, args)
	for _, n := range notices {
		fmt.Fprintln(os.Stderr, n)
	}
	return v, prefixed(err)
}

// acted does an act without the arguments that are not stated, and panics if it is refused.
func acted[T any](function string, args map[string]any) T {
	for name, v := range args {
		switch v.(type) {
		case string, int, bool: // a reason and a round are always stated
			if reflect.ValueOf(v).IsZero() && name != "reason" && name != "round" {
				delete(args, name)
			}
		}
	}
	v, err := Act(function, args)
	if err != nil {
		panic(err)
	}
	got, ok := v.(T)
	if !ok {
		panic(fmt.Errorf("session: %s returned %T", function, v))
	}
	return got
}

// Start makes a campaign of a protocol of the session, by its name, in a folder; where the folder has this
// campaign it opens it.
func Start(protocol, folder string) campaign.Status {
	return acted[campaign.Status]("start", map[string]any{"protocol": protocol, "folder": folder})
}

// Resume returns how far a campaign is now. Campaign returns how far it was when its name was bound.
func Resume(c string) campaign.Status {
	return acted[campaign.Status]("resume", map[string]any{"folder": c})
}

// Ask returns what to measure next: the list that the asker has and has not told, else further pulls.
func Ask(c string, q campaign.Request) campaign.List {
	return acted[campaign.List]("ask", map[string]any{"c": c, "by": q.By, "task": q.Task, "count": q.Count, "more": q.More})
}

// Tell records the results of a CSV file. A row that is not taken is no error: see Receipt.Refused.
func Tell(c, file string, opt campaign.TellOptions) campaign.Receipt {
	return acted[campaign.Receipt]("tell", tellArguments(c, file, opt))
}

// Attach records measurements of a CSV file that are of no round; Extra has no meaning for them.
func Attach(c, file string, opt campaign.TellOptions) campaign.Receipt {
	opt.Extra = false
	return acted[campaign.Receipt]("attach", tellArguments(c, file, opt))
}

// tellArguments returns the arguments of Tell. The sheet is named after the file.
func tellArguments(c, file string, opt campaign.TellOptions) map[string]any {
	if opt.Sheet != "" {
		panic(prefixed(fmt.Errorf("the sheet is called as its file is; leave Sheet out, got %q", opt.Sheet)))
	}
	return map[string]any{"c": c, "file": file, "by": opt.By, "sure": opt.Sure, "take_good": opt.TakeGood, "extra": opt.Extra}
}

// Fail gives pulls back that were not measured, for reasons that have nothing to do with their reward; by may
// be "".
func Fail(c string, ids []string, reason, by string) campaign.Status {
	return acted[campaign.Status]("fail", map[string]any{"c": c, "ids": ids, "reason": reason, "by": by})
}

// Correct replaces a result that was wrong.
func Correct(c, id string, value float64, reason, by string) campaign.Status {
	return acted[campaign.Status]("correct", map[string]any{"c": c, "id": id, "value": value, "reason": reason, "by": by})
}

// CloseRound ends a round, from 1, with what came; one that is over stays as it is.
func CloseRound(c string, round int, reason, by string) campaign.Status {
	return acted[campaign.Status]("close", map[string]any{"c": c, "round": round, "reason": reason, "by": by})
}

// Change is what Amend changes. What is nil, empty or "" stays as it is.
type Change struct {
	Epsilon  *float64 // an arm this close to the best is good enough, reward units
	Delta    *float64 // error probability
	Capacity *int     // pulls in a unit of time; 0 for any number
	Withdraw []string // arms that cannot be measured any more: "task/arm"
	Add      string   // a CSV file with columns of the table of the problem
	Reason   string
	By       string
}

// Amend changes the protocol from the next round on.
func Amend(c string, x Change) campaign.Status {
	args := map[string]any{"c": c, "reason": x.Reason, "by": x.By, "add": x.Add}
	if x.Epsilon != nil {
		args["epsilon"] = *x.Epsilon
	}
	if x.Delta != nil {
		args["delta"] = *x.Delta
	}
	if x.Capacity != nil {
		args["capacity"] = float64(*x.Capacity) // 0 has a meaning here
	}
	if len(x.Withdraw) > 0 {
		args["withdraw"] = x.Withdraw
	}
	return acted[campaign.Status]("amend", args)
}
