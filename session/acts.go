package session

import (
	"fmt"
	"os"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Acts call the functions of scripts that record something in a campaign. The kernel performs them, so that they equal the acts of
// a cell or a command: with the same errors, receipts and texts, and with paths relative to the notebook; a repeated act changes
// nothing. A campaign is named by its name in the session, or by its folder.
//
// An error panics, as in the readers, because a program that ignored it would treat the act as recorded. Act returns the error.
// Notices about harmless oddities are written to standard error.

// Act calls start, resume, ask, tell, amend, fail, correct, close or attach with arguments by the names of their parameters, which
// are numbers, texts, booleans or lists of texts. It returns the value of the call: a campaign.Status, a campaign.List from ask, or
// a campaign.Receipt from the acts that record rows.
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

// acted performs an act without the arguments that are not stated, and panics with its error.
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

// Start starts a campaign in a folder, with a protocol of the session, or opens it if the folder already has this campaign.
func Start(protocol, folder string) campaign.Status {
	return acted[campaign.Status]("start", map[string]any{"protocol": protocol, "folder": folder})
}

// Resume returns the present state of a campaign. Campaign returns its state when its name was bound.
func Resume(c string) campaign.Status {
	return acted[campaign.Status]("resume", map[string]any{"folder": c})
}

// Ask returns the list of measurements to make next: the person's open list if results are missing, otherwise further measurements.
func Ask(c string, q campaign.Request) campaign.List {
	return acted[campaign.List]("ask", map[string]any{"c": c, "by": q.By, "task": q.Task, "count": q.Count, "more": q.More})
}

// Tell records the results of a CSV file. A rejected row is not an error: see Receipt.Refused.
func Tell(c, file string, opt campaign.TellOptions) campaign.Receipt {
	return acted[campaign.Receipt]("tell", tellArguments(c, file, opt))
}

// Attach records measurements of a CSV file that belong to no round; it ignores Extra.
func Attach(c, file string, opt campaign.TellOptions) campaign.Receipt {
	opt.Extra = false
	return acted[campaign.Receipt]("attach", tellArguments(c, file, opt))
}

// tellArguments returns the arguments of Tell. The sheet has the name of the file.
func tellArguments(c, file string, opt campaign.TellOptions) map[string]any {
	if opt.Sheet != "" {
		panic(prefixed(fmt.Errorf("leave Sheet out, because the name of the file is used; got %q", opt.Sheet)))
	}
	return map[string]any{"c": c, "file": file, "by": opt.By, "sure": opt.Sure, "take_good": opt.TakeGood, "extra": opt.Extra}
}

// Fail reports measurements that could not be made, for reasons that are independent of their reward, such as a broken vial. If a reaction
// failed because the option is bad, record the worst possible reward with Tell instead. by may be "".
func Fail(c string, ids []string, reason, by string) campaign.Status {
	return acted[campaign.Status]("fail", map[string]any{"c": c, "ids": ids, "reason": reason, "by": by})
}

// Correct replaces a wrong result.
func Correct(c, id string, value float64, reason, by string) campaign.Status {
	return acted[campaign.Status]("correct", map[string]any{"c": c, "id": id, "value": value, "reason": reason, "by": by})
}

// CloseRound ends a round, counted from 1, with its results so far; a completed round is unchanged.
func CloseRound(c string, round int, reason, by string) campaign.Status {
	return acted[campaign.Status]("close", map[string]any{"c": c, "round": round, "reason": reason, "by": by})
}

// Change describes the changes of Amend. Fields that are nil, empty or "" change nothing.
type Change struct {
	Epsilon  *float64 // an arm this close to the best is good enough, reward units
	Delta    *float64 // error probability
	Capacity *int     // pulls per unit of time; 0 for any number
	Withdraw []string // arms that can no longer be measured: "task/arm"
	Add      string   // a CSV file with columns of the problem's table
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
		args["capacity"] = float64(*x.Capacity) // 0 is a value
	}
	if len(x.Withdraw) > 0 {
		args["withdraw"] = x.Withdraw
	}
	return acted[campaign.Status]("amend", args)
}
