package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignFunctions returns the functions for real measurements: those that create, open and query a campaign, and those
// that record an act of package campaign.
func campaignFunctions() []Function {
	c := Param{Name: "c", Synonyms: []string{"campaign"}, Types: []Type{typeOf[campaign.Status](), Text},
		Doc: "a campaign, or the path of its folder, relative to the script"}
	by := Param{Name: "by", Synonyms: []string{"who", "name", "person"}, Types: []Type{Text}, Default: unset,
		Doc: "the name of the person who measures; each person has at most one open list"}
	return append([]Function{
		protocolFunction(),
		makeFunction(Function{
			Name: "start", Section: SectionCampaign, Synonyms: []string{"begin", "create"},
			Doc: "starts a campaign in a folder, and fixes its question, its decision rule and its data. If the folder already holds " +
				"this campaign, it is opened, so the cell can be run again",
			Params: []Param{
				{Name: "protocol", Doc: "the name of a protocol"},
				{Name: "folder", Synonyms: []string{"dir", "path"}, Doc: "the path of the folder, relative to the script; it must be empty " +
					"or not exist"}},
			Result: typeOf[campaign.Status](), Example: `start(protocol(paper(case=2), runs=0), "days")`,
		}, nil, evalStart),
		{
			Name: "resume", Section: SectionCampaign, Synonyms: []string{"reopen", "load_campaign"},
			Doc: "opens a campaign and shows its state",
			Params: []Param{{Name: "folder", Synonyms: []string{"dir", "path"}, Types: []Type{Text, typeOf[campaign.Status]()},
				Doc: "the path of its folder, relative to the script; or a campaign, also an earlier state of it"}},
			Result: typeOf[campaign.Status](), Example: `resume("days")`,
			eval: func(c *call) (any, error) {
				return inCampaign(c, "folder", func(k campaign.Kept) (any, error) { return dropOnError(k.Status(c.e.ctx)) })
			},
		},
		makeFunction(Function{
			Name: "ask", Section: SectionCampaign, Synonyms: []string{"suggest", "propose"},
			Doc: "lists what to measure next: the person's open list if results are missing, otherwise further measurements of the open round",
			Params: []Param{c, by,
				{Name: "count", Range: wholeFrom(1), Default: unset, Doc: "how many measurements; if not given, the capacity, a plate or " +
					"the whole round"},
				{Name: "task", words: wordsTasks, Default: unset, Doc: "list only measurements of this task"},
				{Name: "more", Synonyms: []string{"further"}, Doc: "true: list further measurements although results of the last list are missing"},
				{Name: "decimals", Choices: []string{problem.DecimalComma, problem.DecimalPoint}, Default: unset,
					Doc: "decimal mark in the file of the list: comma, with semicolons between columns, or point; if not given, as in the " +
						"problem's table"},
				{Name: "retry", Synonyms: []string{"again"}, Doc: "true: also list arms whose measurements all failed"}},
			Result: typeOf[campaign.List](), Example: `ask("days", by="Ann", count=24)`,
		}, func(c *call, _ askArgs) { checkBy(c) }, func(c *call, a askArgs) (any, error) {
			if !checkBy(c) {
				return nil, nil // the mistake was reported
			}
			return inCampaign(c, "c", func(k campaign.Kept) (any, error) {
				// Ask records the work list before returning it, so that each pull is handed out once.
				list, err := k.Ask(c.e.ctx, campaign.Request{By: a.By, Task: a.Task, Count: a.Count, More: a.More, Retry: a.Retry})
				if err == nil {
					// Decimals changes only the decimal separator of the saved list.
					list.Dialect, err = list.Dialect.Written(a.Decimals)
				}
				return list, err
			})
		}),
	}, campaignActs(c)...)
}

// askArgs are the arguments of ask.
type askArgs struct {
	By, Task, Decimals string
	Count              int
	More, Retry        bool
}

// protocolFunction returns the function protocol, which sets the rules of a campaign. Its parameters are its own, the
// options of algorithms, and options of the forecast.
func protocolFunction() Function {
	share := kernels.Range{Min: 0, Max: 1, MaxOpen: true}
	// Copy the options of algorithms from fc.
	runs := runFunctions()
	fc := runs[slices.IndexFunc(runs, func(f Function) bool { return f.Name == engine.ModeFC })]
	// Remove options that exist only in simulations, and options for which protocol has its own description.
	own := slices.DeleteFunc(fc.Params, func(x Param) bool {
		return slices.Contains([]string{"p", "delta", "epsilon", "algorithm", "runs", "seed", "rewards"}, x.Name)
	})
	algorithm := algorithmParam(engine.ModeFC)
	algorithm.Doc += "; if not given, with a budget " + algorithms.Default(engine.ModeFB).Name
	for _, e := range algorithms.All() {
		algorithm.Choices = lists.Add(algorithm.Choices, e.Name) // the algorithms of both modes
	}
	// Remove reference algorithms: they need the true means, which are unknown in real measurements.
	algorithm.Choices = slices.DeleteFunc(algorithm.Choices, func(name string) bool {
		e, err := entryNamed(name)
		return err != nil || e.Role == algorithms.RoleReference
	})
	budget, rounds := option("budget"), option("rounds")
	budget.Doc = "measurements per task, at most"
	rounds.Doc += ", and at most as many as full plates allow; with a plate or capacity but no budget, each round is one plate or " +
		"one unit of time"
	return makeFunction(Function{
		Name: "protocol", Section: SectionCampaign, Synonyms: []string{"campaign_protocol", "design_of_experiment"},
		Doc: "fixes the rules of a campaign of real measurements, and forecasts its measurements and time by simulation; start(…) " +
			"begins the campaign. Only the forecast uses expected rewards of the table",
		Params: slices.Concat([]Param{problemParam, option("delta"), option("epsilon"), algorithm, budget, option("total"), rounds,
			{Name: "plate", Synonyms: []string{"plate_size"}, Range: wholeFrom(1), Default: unset,
				Doc: "measurements per plate: each plate is a balanced sample of its round, in random order, so that effects of the plate cancel"},
			{Name: "block", Synonyms: []string{"side_by_side", "paired"}, Default: unset,
				Doc: "the block in which the arms of a task are measured together, such as \"day\": lists then have whole blocks, and " +
					"CoTestFC and CoBayesFC compare arms within a block; if not given, as in the problem"},
			{Name: "block_size", Synonyms: []string{"block_places"}, Range: wholeFrom(1), Default: unset,
				Doc: "arms of a task per block; all open arms if not given"},
			{Name: "control", Synonyms: []string{"reference", "check"}, Default: unset,
				Doc: "with block: the control arm, which is in every block of its task"},
			{Name: "capacity", Synonyms: []string{"throughput", "wells"}, Range: wholeFrom(1), Default: unset,
				Doc: "measurements that the laboratory makes per unit of time, in all tasks together; Bayesian algorithms make rounds of at " +
					"most this size"},
			{Name: "time_unit", Choices: campaign.Units(), Default: `"days"`, Doc: "unit of capacity and lease"},
			{Name: "lease", Synonyms: []string{"timeout", "due"}, Range: positive, Default: unset,
				Doc: "units of time after which a measurement without a result is handed out again, under a new id"},
			{Name: "failed", Synonyms: []string{"failures", "failure_rate"}, Range: share, Default: unset,
				Doc: "fraction of measurements without a result, for the forecast; default: 0 without a capacity, else up to 0.2"},
			{Name: "late", Synonyms: []string{"delayed"}, Range: share, Default: unset,
				Doc: "fraction of results that arrive late, for the forecast; default: 0 without a capacity, else up to 0.3"},
			{Name: "delay", Synonyms: []string{"lateness"}, Range: wholeFrom(1), Default: unset,
				Doc: fmt.Sprintf("largest delay of late results in units of time, for the forecast; %d if not given", campaign.DefaultDelay)},
			{Name: "attach", Synonyms: []string{"attach_table"}, Default: unset,
				Doc: "whether the measurements of the table count as results of the campaign; false: only the kernel and the forecast use them"},
			{Name: "cost", Synonyms: []string{"price", "cost_per_sample"}, Range: fromZero, Default: unset, Doc: "cost of one " +
				"measurement, for the forecast"},
		}, own, []Param{
			option("kernel_is"),
			{Name: "gaps", Synonyms: []string{"effect", "effect_size", "difference"}, Range: positive, Default: unset,
				Doc: "lead of the best arm in the forecast's simulation, in reward units; if not given, the known means, or means drawn " +
					"from the kernel as prior"},
			{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Range: kernels.Range{Min: 0, Max: 1000},
				Default: fmt.Sprint(plan.DefaultRuns),
				Doc:     "simulated runs per algorithm in the forecast; if not given, fewer for more than 200 arms, at least 4; 0 for no forecast"},
			{Name: "seed", Range: wholeFrom(0), Default: unset,
				Doc: "seed of ids and of the order of lists; if not given, each start draws a new one"},
		}),
		Result: typeOf[campaign.Protocol](), Example: `protocol(paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)`,
	}, checkProtocol, evalProtocol)
}

// entryNamed returns the named algorithm of fixed confidence, or else that of fixed budget. It returns an error if there
// is none.
func entryNamed(name string) (algorithms.Entry, error) {
	e, err := algorithms.Named(engine.ModeFC, name)
	if err != nil {
		e, err = algorithms.Named(engine.ModeFB, name)
	}
	return e, err
}

// protocolEntry returns the algorithm of a protocol. Without the argument algorithm, a protocol with a budget has the
// default algorithm of fixed budget. It returns an error if the name is not known yet.
func protocolEntry(c *call) (algorithms.Entry, error) {
	if a := c.arg("algorithm"); a.Node == nil && budgeted(c) {
		return algorithms.Default(engine.ModeFB), nil
	}
	return entryNamed(algorithmOf(c, engine.ModeFC))
}

// budgeted reports whether a call of protocol limits the number of measurements.
func budgeted(c *call) bool { return c.has("budget") || c.has("total") || c.has("rounds") }

// protocolArgs are the arguments of protocol, without the options of the algorithm.
type protocolArgs struct {
	P                      *problem.Problem // its means, if any, are used only by the forecast
	Plate, Capacity, Delay int              // pulls, or units of time; 0 if not given
	TimeUnit               string           // "" for the default
	Lease, Cost, Gaps      float64          // in units of time, money per pull, reward units; 0 if not given
	Failed, Late           *float64         // fractions below 1; nil if not given, and the forecast then chooses them
	Runs                   *int             // runs of the forecast; 0 for no forecast; nil lets the forecast choose
	Seed                   uint64           // 0 if not given; each start then draws a new seed
	Block, Control         string           // "" if not given
	Attach                 *bool            // nil if not given, which means true
	BlockSize              int              // arms per task and block; 0 for all open arms
}

// inBlocks returns protocol p with its block column, block size and control. The default block column is that of the
// problem. It reports a block size or a control if there is no block column.
func (a protocolArgs) inBlocks(c *call, p campaign.Protocol) (campaign.Protocol, error) {
	if a.Block == "" && a.BlockSize == 0 && a.Control == "" {
		return p, nil
	}
	if b := p.Problem.Block; a.Block == "" && b != nil {
		a.Block = b.Name
	}
	if a.Block == "" {
		param := map[bool]string{true: "block_size", false: "control"}[a.BlockSize > 0]
		return p, &argumentError{param: param, message: "protocol: there is no block",
			err: fmt.Errorf(`%s describes blocks, and neither block= nor the problem names one: add block="day"`, param)}
	}
	// Drop notes about the problem's own block column, which this protocol does not use.
	c.e.session.noted = slices.DeleteFunc(c.e.session.noted, func(n problem.Note) bool { return n.Kind == problem.NoteBlocks })
	return campaign.InBlocks(p, a.Block, a.BlockSize, a.Control), nil
}

// checkProtocol reports options that the algorithm lacks, and a budget that is missing or not allowed. It mainly tests
// which arguments are given, because their values may not be known yet.
func checkProtocol(c *call, _ protocolArgs) {
	e, err := protocolEntry(c)
	if err != nil {
		return // an unknown algorithm was reported, or the name is not known yet
	}
	// Check the options first; the checks below need valid ones.
	before := c.e.mistakes
	for i, p := range c.fn.Params {
		a := &c.args[i]
		if a.Node == nil || p.Name == "p" || p.Name == "algorithm" {
			continue
		}
		if _, isNumber := a.Data.(float64); !p.hasOption(e) || isNumber && !p.takesNumber(e) {
			lacksOption(c, e, p, *a)
		}
	}
	if c.e.mistakes == before && c.has("budget") {
		oneBudget(c)
	}
	if c.e.mistakes > before {
		return
	}
	switch needs := e.Mode == engine.ModeFB; {
	case c.has("rounds") && !c.has("budget") && !c.has("total"):
		if a := c.arg("rounds"); !c.has("plate") && !c.has("capacity") { // the unit of rounds is then undefined
			c.fail(a, "protocol: rounds alone does not fix the number of measurements",
				"add budget=12 (of each task), total=200 (of all tasks), or plate= or capacity=, which is then the size of each round")
		}
	case needs && !budgeted(c):
		c.fail(c.arg("algorithm"), fmt.Sprintf("protocol: %s needs budget, the measurements per task, or total, the measurements of "+
			"all tasks", e.Name),
			"write budget=48 or total=200, or choose an algorithm with a guarantee such as "+algorithms.Default(engine.ModeFC).Name)
	case !needs && budgeted(c):
		c.fail(c.arg("budget"), fmt.Sprintf("protocol: %s has no budget: it measures until it reaches its confidence", e.Name),
			`choose algorithm="CoBayesFB", or leave budget out`)
	}
}

// evalProtocol evaluates protocol(...). It validates the protocol first, because the forecast may take long.
func evalProtocol(c *call, a protocolArgs) (_ any, err error) {
	defer try.Caught(&err)
	e := try.Of(protocolEntry(c))
	p := campaign.Protocol{
		Problem: a.P, Mode: e.Mode, Algorithm: e.Name, Options: optionsOf(c), Plate: a.Plate, Capacity: a.Capacity, TimeUnit: a.TimeUnit,
		Lease: a.Lease, Cost: a.Cost, Seed: a.Seed, Failed: a.Failed, Late: a.Late, Delay: a.Delay, Fresh: a.Attach != nil && !*a.Attach,
	}
	p = try.Of(a.inBlocks(c, p))
	// Without a budget, rounds is a number of plates or units of time.
	if p.Options.Rounds > 0 && p.Options.Budget == 0 && p.Options.Total == 0 {
		p.Options.Total = p.Options.Rounds * max(p.Plate, p.Capacity)
	}
	// Record the default, because it may change in a later version.
	p.Options.Delta = cmp.Or(p.Options.Delta, engine.DefaultDelta)
	try.To(p.Check(c.e.ctx))
	runs := 0 // with 0, plan.RunsFor chooses the number
	if a.Runs != nil {
		runs = *a.Runs
	}
	// The forecast is not needed: the caller declined it, or a campaign makes its protocol again.
	if a.Runs != nil && runs == 0 || c.e.session.opt.noForecast {
		return p, nil
	}
	p.Forecast, err = awaitResult(c, func() (*campaign.Forecast, error) {
		return campaign.MakeForecast(c.e.ctx, p, a.Gaps, runs, countSteps(c, p.Problem.Name))
	})
	return p, err
}

// evalStart evaluates start(...). The campaign records the script and the data, and each later command makes the protocol
// again from them. evalStart makes the protocol again once, so that a mistake shows before the first measurement.
func evalStart(c *call, a struct {
	Protocol campaign.Protocol
	Folder   string
}) (any, error) {
	if c.e.swept != nil {
		return nil, errSweptCampaign
	}
	p := a.Protocol
	// Later commands find the protocol's definition by its name. A protocol(...) written inside start(...) has no name.
	if p.Name == "" || c.e.scope[p.Name] == nil {
		c.fail(c.arg("protocol"), "start: the protocol has no name, so later commands cannot find it",
			"write days = protocol(...) and then start(days, ...)")
		return nil, nil
	}
	s := c.e.session
	text, err := scriptOf(s, p.Name)
	if err != nil {
		return nil, &argumentError{param: "protocol", message: "start: the campaign cannot be made again from its folder", err: err}
	}
	// The recorded text already contains the overrides, and the forecast is already computed.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress = true, nil, nil, nil, nil
	opt.Notice, opt.Noted = nil, nil // the user has seen these notices
	made, recipe, err := ReadProtocol(c.e.ctx, p.Name+".cope", text, opt)
	if err != nil {
		return nil, &argumentError{param: "protocol", message: "start: the protocol cannot be made again", err: err}
	}
	made.Forecast, made.Name = p.Forecast, p.Name // the protocol that was made again lacks these
	dir := s.path(a.Folder)
	keeper := s.opt.Campaigns
	if keeper == nil {
		return nil, errNoCampaigns
	}
	campaignOf, err := keeper.Start(c.e.ctx, dir, recipe, made, s.notice)
	// The campaign exists already if a notebook cell is run again. Then open it.
	if errors.Is(err, campaign.ErrExists) {
		campaignOf, err = openSame(c, dir, made)
	}
	if err != nil {
		return nil, &argumentError{param: "folder", message: "start: no campaign was made", err: err}
	}
	defer campaignOf.Close() // each later call opens the folder again
	return campaignOf.Status(c.e.ctx)
}

// openSame opens the campaign in folder dir. It returns an error if the campaign's protocol differs from p.
func openSame(c *call, dir string, p campaign.Protocol) (campaign.Kept, error) {
	k, err := c.e.session.opt.Campaigns.Open(c.e.ctx, dir, c.e.session.notice)
	if err != nil {
		return nil, err
	}
	// Arms or rules may have been changed after the start. Therefore p may equal the protocol at the start or the present
	// one.
	if own := k.Protocol(); own.AtStart().Fingerprint() != p.Fingerprint() && own.Fingerprint() != p.Fingerprint() {
		k.Close()
		return nil, fmt.Errorf("%s holds another campaign, whose problem or protocol differs. Choose another folder. To open that campaign, "+
			"use resume; to add rows of its table, use amend(c, add=...)", dir)
	}
	return k, nil
}

// errSweptCampaign is the error for a campaign function inside a sweep, because real measurements happen only once.
var errSweptCampaign = errors.New("a sweep cannot repeat the real measurements of a campaign. Sweep over fc or fb, which simulate rewards")

// errNoCampaigns is the error for a campaign function in a session without Options.Campaigns, for example in a browser.
var errNoCampaigns = errors.New("campaigns cannot be kept here, because there are no folders. Use gonb-cope run or a notebook for them")

// inCampaign opens the campaign in the argument param (a folder, or the value of another campaign function), calls f, and
// closes the campaign. It returns the results of f. Other processes may use the folder at the same time, because each
// write locks it.
func inCampaign(c *call, param string, f func(campaign.Kept) (any, error)) (any, error) {
	if c.e.swept != nil {
		return nil, errSweptCampaign
	}
	dir := c.e.session.path(c.text(param))
	if status, opened := c.arg(param).Data.(campaign.Status); opened {
		dir = status.Folder
	}
	keeper := c.e.session.opt.Campaigns
	if keeper == nil {
		return nil, errNoCampaigns
	}
	k, err := keeper.Open(c.e.ctx, dir, c.e.session.notice)
	if err != nil {
		return nil, &argumentError{param: param, message: c.fn.Name + ": the campaign cannot be opened", err: err}
	}
	defer k.Close()
	return f(k)
}
