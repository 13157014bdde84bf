package dsl

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignActs returns the functions that record what went otherwise than planned. Each changes nothing
// when its cell is run again: what it would record is known by its ids, its round, or its values and
// reason.
func campaignActs(c, by Param) []Function {
	reason := Param{Name: "reason", Synonyms: []string{"why", "because"}, Types: []Type{Text}, Doc: "the reason, which the report shows"}
	flag := func(name, doc string) Param {
		return Param{Name: name, Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 0, Max: 1}, Default: "0", Doc: doc}
	}
	return []Function{
		{
			Name: "amend", Section: SectionCampaign, Synonyms: []string{"withdraw", "change_protocol"},
			Doc: "changes the protocol while it runs, from the next round on, and shows how far the campaign is. epsilon may be changed at any time; of delta the report states the largest that was in force; arms that are withdrawn or added cost a little of the guarantee, which the report states. The same change for the same reason is made once",
			Params: []Param{c, reason,
				{Name: "epsilon", Synonyms: []string{"accuracy", "tolerance"}, Types: []Type{Number}, Range: fromZero, Default: unset, Doc: "an arm this close to the best is good enough from now on, reward units"},
				{Name: "delta", Types: []Type{Number}, Range: kernels.Range{Min: 0, Max: 1, MinOpen: true, MaxOpen: true}, Default: unset, Doc: "error probability from now on"},
				{Name: "capacity", Synonyms: []string{"throughput", "wells"}, Types: []Type{Number}, Whole: true, Range: wholeFrom(0), Default: unset, Doc: "pulls that the laboratory makes in a unit of time from now on; 0 for any number"},
				{Name: "withdraw", Synonyms: []string{"remove", "without"}, Types: []Type{Text, List}, Default: unset, Doc: `arms that cannot be measured any more: "task/arm", or a list of these`},
				{Name: "add", Synonyms: []string{"extend"}, Types: []Type{Text}, words: wordsData, Default: unset, Doc: "a CSV file with columns of the table of the problem, relative to the script: its arms and tasks come in"},
				by},
			Result: typeOf[campaign.Status](), Example: `amend("days", epsilon=2, reason="a yield this close is good enough for the plant")`, check: checkAmend, eval: evalAmend,
		},
		{
			Name: "fail", Section: SectionCampaign, Synonyms: []string{"give_back"},
			Doc:    "gives pulls back that were not measured, and shows how far the campaign is; they are handed out again. " + strings.ToUpper(campaign.FailureRule[:1]) + campaign.FailureRule[1:],
			Params: []Param{c, {Name: "ids", Synonyms: []string{"id"}, Types: []Type{Text, List}, Doc: "the id of a pull, or a list of ids"}, reason, by},
			Result: typeOf[campaign.Status](), Example: `fail("days", ["K7M2PQ"], reason="the vial broke")`, check: checkIDs, eval: evalFail,
		},
		{
			Name: "correct", Section: SectionCampaign, Synonyms: []string{"replace", "revise"},
			Doc:    "replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what followed is worked out again; where a decision changes, the answers are heuristic",
			Params: []Param{c, {Name: "id", Types: []Type{Text}, Doc: "the id of the pull"}, {Name: "value", Synonyms: []string{"reward", "result"}, Types: []Type{Number}, Range: anyNumber, Doc: "the right reward"}, reason, by},
			Result: typeOf[campaign.Status](), Example: `correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")`, eval: evalCorrect,
		},
		{
			Name: "close", Section: SectionCampaign, Synonyms: []string{"end_round"},
			Doc:    "ends an open round with what came, and shows how far the campaign is; a round that is over stays as it is. " + strings.ToUpper(campaign.FailureRule[:1]) + campaign.FailureRule[1:],
			Params: []Param{c, {Name: "round", Types: []Type{Number}, Whole: true, Range: wholeFrom(1), Doc: "the number of the round"}, reason, by},
			Result: typeOf[campaign.Status](), Example: `close("days", round=3, reason="the freezer failed")`, eval: evalClose,
		},
		{
			Name: "attach", Section: SectionCampaign, Synonyms: []string{"attach_data"},
			Doc:    "records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They guide what is measured and decide nothing in tests; methods that go by a posterior take them whole. Rows attached before are known",
			Params: []Param{c, {Name: "file", Synonyms: []string{"path", "data"}, Types: []Type{Text}, words: wordsData, Doc: "the file, relative to the script"}, by, flag("sure", "true: rewards that look like slips are right"), flag("take_good", "true: take the good rows of a file in which others are wrong")},
			Result: typeOf[campaign.Receipt](), Example: `attach("days", "pilot.csv", by="Ann")`, eval: evalAttach,
		},
	}
}

// textsOf returns the texts of an argument that is one or a list of them. Where it is something else, it
// is reported with the hint and ok is false.
func textsOf(c *call, name, hint string) (words []string, ok bool) {
	a := c.arg(name)
	if list, isList := a.Data.([]value); isList {
		words = texts(a.value)
		if len(words) < len(list) || len(list) == 0 {
			c.fail(&a, fmt.Sprintf("%s: %s must be a text, or a list of texts", c.fn.Name, name), hint)
			return nil, false
		}
		return words, true
	}
	if text, isText := a.Data.(string); isText {
		words = []string{text}
	}
	return words, true
}

// idsHint and withdrawHint say how pulls and arms are named.
const (
	idsHint      = `write "K7M2PQ", or ["K7M2PQ", "M3R8TX"]: ids of a list of ask`
	withdrawHint = `write withdraw="task/arm", or withdraw=["task/arm", "task/other arm"]`
)

// checkIDs reports ids that are none.
func checkIDs(c *call) { textsOf(c, "ids", idsHint) }

// checkAmend reports an amendment that changes nothing, and arms without their task.
func checkAmend(c *call) { withdrawnArms(c) }

// withdrawnArms returns the arms that an amendment names, as tasks and arms.
func withdrawnArms(c *call) (out [][2]string, ok bool) {
	changes := false
	for _, name := range []string{"epsilon", "delta", "capacity", "withdraw", "add"} {
		changes = changes || c.has(name)
	}
	if !changes {
		c.e.report(c.e.st.Source.At(c.e.st.Span(c.node), "amend: nothing is to be changed", "state epsilon=, delta=, capacity=, withdraw= or add="))
		return nil, false
	}
	words, ok := textsOf(c, "withdraw", withdrawHint)
	for _, w := range words {
		task, arm, whole := strings.Cut(w, "/")
		if !whole {
			a := c.arg("withdraw")
			c.fail(&a, fmt.Sprintf("amend: withdraw needs a task and an arm, got %q", w), withdrawHint)
			return nil, false
		}
		out = append(out, [2]string{task, arm})
	}
	return out, ok
}

// evalAmend evaluates amend(...).
func evalAmend(c *call) (any, error) {
	arms, ok := withdrawnArms(c)
	if !ok {
		return nil, nil // reported
	}
	b := campaign.AmendBody{Reason: c.text("reason"), Withdraw: arms}
	for name, into := range map[string]**float64{"epsilon": &b.Epsilon, "delta": &b.Delta} {
		if c.has(name) {
			x := c.number(name)
			*into = &x
		}
	}
	if c.has("capacity") {
		n := c.whole("capacity")
		b.Capacity = &n
	}
	if c.has("add") {
		path := c.e.session.path(c.text("add"))
		data, err := c.e.session.opt.file(c.e.ctx, path)
		if err != nil {
			return nil, &argumentError{param: "add", message: "amend: the rows cannot be read", err: err}
		}
		b.Add = &campaign.File{Path: filepath.Base(path), Content: data}
	}
	return actOn(c, func(k *folder.Campaign) (bool, error) {
		_, known, err := k.AmendOnce(c.e.ctx, b, c.text("by"))
		return known, err
	})
}

// actOn does something with the campaign, plans what follows from it, and returns how far it is. f returns
// whether nothing was to be done.
func actOn(c *call, f func(*folder.Campaign) (known bool, err error)) (any, error) {
	return inCampaign(c, "c", func(k *folder.Campaign) (any, error) {
		known, err := f(k)
		if err != nil {
			return nil, &argumentError{param: "c", message: c.fn.Name + ": nothing was recorded", err: err}
		}
		if known {
			c.e.session.notice(c.fn.Name + ": this was recorded before, and changes nothing")
		}
		if err := k.Advance(c.e.ctx); err != nil {
			return nil, err
		}
		return given(k.Status(c.e.ctx))
	})
}

// evalFail evaluates fail(...).
func evalFail(c *call) (any, error) {
	ids, ok := textsOf(c, "ids", idsHint)
	if !ok {
		return nil, nil // reported
	}
	return actOn(c, func(k *folder.Campaign) (bool, error) {
		return k.FailOnce(c.e.ctx, ids, c.text("reason"), c.text("by"))
	})
}

// evalCorrect evaluates correct(...).
func evalCorrect(c *call) (any, error) {
	return actOn(c, func(k *folder.Campaign) (bool, error) {
		return k.CorrectOnce(c.e.ctx, c.text("id"), c.number("value"), c.text("reason"), c.text("by"))
	})
}

// evalClose evaluates close(...). Losses that crowd in few arms are said.
func evalClose(c *call) (any, error) {
	return actOn(c, func(k *folder.Campaign) (bool, error) {
		done, known, err := k.CloseOnce(c.e.ctx, c.whole("round"), c.text("reason"), c.text("by"))
		for _, w := range done.Worst {
			c.e.session.notice(w.Warning())
		}
		return known, err
	})
}

// evalAttach evaluates attach(...).
func evalAttach(c *call) (any, error) {
	path := c.e.session.path(c.text("file"))
	return inCampaign(c, "c", func(k *folder.Campaign) (any, error) {
		data, err := c.e.session.opt.file(c.e.ctx, path)
		if err != nil {
			return nil, &argumentError{param: "file", message: "attach: the measurements cannot be read", err: err}
		}
		r, err := k.Attach(c.e.ctx, data, campaign.TellOptions{By: c.text("by"), Sheet: filepath.Base(path), Sure: c.number("sure") > 0, TakeGood: c.number("take_good") > 0})
		if err != nil {
			return nil, &argumentError{param: "file", message: "attach: nothing was recorded", err: err}
		}
		return r, k.Advance(c.e.ctx)
	})
}
