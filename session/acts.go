package session

import (
	"fmt"
	"os"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// The functions below call script functions that record something in a campaign. The kernel executes the call, so that
// errors, receipts and messages are the same as in a script, and paths are relative to the notebook. A repeated act changes
// nothing. A campaign is given by its name in the session, or by its folder.
//
// The functions panic if there is an error, because a program that ignores the error would assume that the act is
// recorded. Act returns the error instead. Notices about unusual input are written to standard error.

// Act calls start, resume, ask, tell, amend, fail, correct, close or attach. args maps parameter names to numbers,
// texts, booleans or lists of texts. It returns the value of the call: a campaign.List from ask, a campaign.Receipt
// from acts that record rows, and otherwise a campaign.Status.
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

// acted performs an act, without the arguments that have their zero value. It panics if there is an error.
func acted[T any](function string, args map[string]any) T {
	for name, v := range args {
		switch v.(type) {
		case string, int, bool: // always pass a reason and a round, even "" or 0
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

// Start starts a campaign in a folder, with a protocol that is bound in the session. If the folder already has this
// campaign, Start opens it.
func Start(protocol, folder string) campaign.Status {
	return acted[campaign.Status]("start", map[string]any{"protocol": protocol, "folder": folder})
}

// Resume returns the present state of a campaign. Campaign instead returns the state at the time when its name was bound.
func Resume(c string) campaign.Status {
	return acted[campaign.Status]("resume", map[string]any{"folder": c})
}

// Ask returns the measurements to make next. If the person has an open list with missing results, Ask returns that list.
func Ask(c string, q campaign.Request) campaign.List {
	return acted[campaign.List]("ask", map[string]any{"c": c, "by": q.By, "task": q.Task, "count": q.Count, "more": q.More})
}

// Tell records the results in a CSV file. Rejected rows are not an error; Receipt.Refused reports them.
func Tell(c, file string, opt campaign.TellOptions) campaign.Receipt {
	return acted[campaign.Receipt]("tell", tellArguments(c, file, opt))
}

// Attach records measurements in a CSV file that belong to no round. It ignores opt.Extra.
func Attach(c, file string, opt campaign.TellOptions) campaign.Receipt {
	opt.Extra = false
	return acted[campaign.Receipt]("attach", tellArguments(c, file, opt))
}

// tellArguments returns the arguments of Tell and Attach. It panics if opt.Sheet is set, because the name of the file is
// the name of the sheet.
func tellArguments(c, file string, opt campaign.TellOptions) map[string]any {
	if opt.Sheet != "" {
		panic(prefixed(fmt.Errorf("leave Sheet out, because the name of the file is used; got %q", opt.Sheet)))
	}
	return map[string]any{"c": c, "file": file, "by": opt.By, "sure": opt.Sure, "take_good": opt.TakeGood, "extra": opt.Extra}
}

// Fail reports measurements that could not be made, for a reason that does not depend on their reward, such as a broken
// vial. If a measurement failed because the arm is bad, record the worst possible reward with Tell instead. by is the
// person's name; it may be "".
func Fail(c string, ids []string, reason, by string) campaign.Status {
	return acted[campaign.Status]("fail", map[string]any{"c": c, "ids": ids, "reason": reason, "by": by})
}

// Correct replaces the wrong result with the given id by value.
func Correct(c, id string, value float64, reason, by string) campaign.Status {
	return acted[campaign.Status]("correct", map[string]any{"c": c, "id": id, "value": value, "reason": reason, "by": by})
}

// CloseRound ends a round with the results recorded so far. round counts from 1. A completed round does not change.
func CloseRound(c string, round int, reason, by string) campaign.Status {
	return acted[campaign.Status]("close", map[string]any{"c": c, "round": round, "reason": reason, "by": by})
}

// Change describes what Amend changes. Fields that are nil, empty or "" change nothing.
type Change struct {
	Epsilon  *float64 // an arm within epsilon of the best is good enough; in reward units
	Delta    *float64 // error probability
	Capacity *int     // maximum number of pulls per unit of time; 0 for no limit
	Withdraw []string // arms that can no longer be measured, as "task/arm"
	Add      string   // CSV file with further rows of the problem's table
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
		args["capacity"] = float64(*x.Capacity) // pass 0 too, which means no limit
	}
	if len(x.Withdraw) > 0 {
		args["withdraw"] = x.Withdraw
	}
	return acted[campaign.Status]("amend", args)
}
