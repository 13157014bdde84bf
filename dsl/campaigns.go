package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignFunctions returns the functions about real measurements.
// Acts come from the table of package campaign; the functions here make, open and ask.
func campaignFunctions() []Function {
	c := Param{Name: "c", Synonyms: []string{"campaign"}, Types: []Type{typeOf[campaign.Status](), Text},
		Doc: "a campaign, or its folder, relative to the script"}
	by := Param{Name: "by", Synonyms: []string{"who", "name", "person"}, Types: []Type{Text}, Default: unset,
		Doc: "who asks or tells: the same person has one open list at a time"}
	return append([]Function{
		protocolFunction(),
		bound(Function{
			Name: "start", Section: SectionCampaign, Synonyms: []string{"begin", "create"},
			Doc: "makes a campaign in a folder: what is asked, how it is decided and the data are fixed from then on; a folder that has this " +
				"campaign already is opened, so that the cell can be run again",
			Params: []Param{
				{Name: "protocol", Doc: "the name of a protocol"},
				{Name: "folder", Synonyms: []string{"dir", "path"}, Doc: "the folder, relative to the script; it must not exist, or be empty"}},
			Result: typeOf[campaign.Status](), Example: `start(protocol(paper(case=2), runs=0), "days")`,
		}, nil, evalStart),
		{
			Name: "resume", Section: SectionCampaign, Synonyms: []string{"reopen", "load_campaign"},
			Doc: "opens a campaign, and shows how far it is",
			Params: []Param{{Name: "folder", Synonyms: []string{"dir", "path"}, Types: []Type{Text, typeOf[campaign.Status]()},
				Doc: "its folder, relative to the script; or a campaign, which may be an earlier state of it"}},
			Result: typeOf[campaign.Status](), Example: `resume("days")`,
			eval: func(c *call) (any, error) {
				return inCampaign(c, "folder", func(k *folder.Campaign) (any, error) { return given(k.Status(c.e.ctx)) })
			},
		},
		bound(Function{
			Name: "ask", Section: SectionCampaign, Synonyms: []string{"suggest", "propose"},
			Doc: "what to measure next: the list that the asker has and has not told, else further pulls of the open round",
			Params: []Param{c, by,
				{Name: "count", Range: wholeFrom(1), Default: unset, Doc: "how many; the capacity, a plate or the round when not given"},
				{Name: "task", words: wordsTasks, Default: unset, Doc: "only pulls of this task"},
				{Name: "more", Synonyms: []string{"further"}, Doc: "true: further pulls, though the list of before is not told yet"},
				{Name: "decimals", Choices: []string{problem.DecimalComma, problem.DecimalPoint}, Default: unset,
					Doc: "of a file of the list: comma, with semicolons between columns, or point; as in the table of the problem when not given"},
				{Name: "retry", Synonyms: []string{"again"}, Doc: "true: also pulls of arms whose every try failed"}},
			Result: typeOf[campaign.List](), Example: `ask("days", by="Ann", count=24)`,
		}, func(c *call, _ askArgs) { checkBy(c) }, func(c *call, a askArgs) (any, error) {
			if !checkBy(c) {
				return nil, nil // reported
			}
			return inCampaign(c, "c", func(k *folder.Campaign) (any, error) {
				// It records the list before it returns it, so pulls are handed out once.
				list, err := k.Ask(c.e.ctx, campaign.Request{By: a.By, Task: a.Task, Count: a.Count, More: a.More, Retry: a.Retry})
				if err == nil {
					// Decimals say how the file of the list is written, and nothing of the campaign.
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

// protocolFunction fixes what a campaign keeps to.
// Its parameters are its own, the options of a run, and what the forecast needs.
func protocolFunction() Function {
	share := kernels.Range{Min: 0, Max: 1, MaxOpen: true}
	// the options of runs, without options of simulations; taken from fc, so that they are described once
	runs := runFunctions()
	fc := runs[slices.IndexFunc(runs, func(f Function) bool { return f.Name == engine.ModeFC })]
	// What protocols state in their own words, and what only simulations have.
	own := slices.DeleteFunc(fc.Params, func(x Param) bool {
		return slices.Contains([]string{"p", "delta", "epsilon", "algorithm", "runs", "seed", "rewards"}, x.Name)
	})
	algorithm := algorithmParam(engine.ModeFC)
	algorithm.Doc += "; with a budget and when not given, " + algorithms.Default(engine.ModeFB).Name
	for _, e := range algorithms.All() {
		algorithm.Choices = lists.Add(algorithm.Choices, e.Name) // of both modes
	}
	// References know the truth, which real measurements do not have.
	algorithm.Choices = slices.DeleteFunc(algorithm.Choices, func(name string) bool {
		e, err := entryNamed(name)
		return err != nil || e.Role == algorithms.RoleReference
	})
	budget, rounds := option("budget"), option("rounds")
	budget.Doc = "pulls of each task, and no more of any"
	rounds.Doc += ", and no more than whole plates fill; with a plate or a capacity and without a budget, each round is one"
	return bound(Function{
		Name: "protocol", Section: SectionCampaign, Synonyms: []string{"campaign_protocol", "design_of_experiment"},
		Doc: "what a campaign of real measurements keeps to, with a forecast of its samples and time, by simulation; start makes the campaign. " +
			"The expected rewards of the table, if it has any, serve the forecast alone",
		Params: slices.Concat([]Param{problemParam, option("delta"), option("epsilon"), algorithm, budget, option("total"), rounds,
			{Name: "plate", Synonyms: []string{"plate_size"}, Range: wholeFrom(1), Default: unset,
				Doc: "pulls on a plate: each plate is a balanced sample of its round, in random order, so that what is common to a plate cancels"},
			{Name: "block", Synonyms: []string{"side_by_side", "paired"}, Default: unset,
				Doc: "what the arms of a task are measured in together, such as \"day\": lists then have whole blocks, and CoTestFC and " +
					"CoBayesFC compare within them; when not given, as the problem says"},
			{Name: "block_size", Synonyms: []string{"block_places"}, Range: wholeFrom(1), Default: unset,
				Doc: "arms of a task in a block; all that are open when not given"},
			{Name: "control", Synonyms: []string{"reference", "check"}, Default: unset,
				Doc: "with block, the arm that is in every block of its task"},
			{Name: "capacity", Synonyms: []string{"throughput", "wells"}, Range: wholeFrom(1), Default: unset,
				Doc: "pulls that the laboratory makes in a unit of time, of all tasks together; methods that go by a posterior cut their rounds to it"},
			{Name: "time_unit", Choices: campaign.Units(), Default: `"days"`, Doc: "unit of capacity and lease"},
			{Name: "lease", Synonyms: []string{"timeout", "due"}, Range: positive, Default: unset,
				Doc: "units of time after which pulls that were handed out and not told are handed out again, under new ids"},
			{Name: "failed", Synonyms: []string{"failures", "failure_rate"}, Range: share, Default: unset,
				Doc: "share of pulls that give no result, for the forecast; with a capacity and when not given, up to 0.2"},
			{Name: "late", Synonyms: []string{"delayed"}, Range: share, Default: unset,
				Doc: "share of results that come late, for the forecast; with a capacity and when not given, up to 0.3"},
			{Name: "delay", Synonyms: []string{"lateness"}, Range: wholeFrom(1), Default: unset,
				Doc: fmt.Sprintf("the most units of time that late results are late, for the forecast; %d when not given", campaign.DefaultDelay)},
			{Name: "attach", Synonyms: []string{"attach_table"}, Default: unset,
				Doc: "whether the campaign begins with the measurements of the table; false: they find the kernel and serve the forecast alone"},
			{Name: "cost", Synonyms: []string{"price", "cost_per_sample"}, Range: fromZero, Default: unset, Doc: "of one pull, for the forecast"},
		}, own, []Param{
			option("kernel_is"),
			{Name: "gaps", Synonyms: []string{"effect", "effect_size", "difference"}, Range: positive, Default: unset,
				Doc: "lead of the best arm that the forecast is simulated with, reward units; when not given, the known means, or rewards drawn " +
					"from the kernel as prior"},
			{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Range: kernels.Range{Min: 0, Max: 1000},
				Default: fmt.Sprint(plan.DefaultRuns),
				Doc:     "simulated runs of the forecast of each algorithm; when not given, fewer of more than 200 arms, down to 4; 0 makes none"},
			{Name: "seed", Range: wholeFrom(0), Default: unset,
				Doc: "of ids and of the order of lists; each start takes another one when not given"},
		}),
		Result: typeOf[campaign.Protocol](), Example: `protocol(paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)`,
	}, checkProtocol, evalProtocol)
}

// entryNamed finds an algorithm of either mode.
// A name in both modes is taken with fixed confidence.
func entryNamed(name string) (algorithms.Entry, error) {
	e, err := algorithms.Named(engine.ModeFC, name)
	if err != nil {
		e, err = algorithms.Named(engine.ModeFB, name)
	}
	return e, err
}

// protocolEntry finds the algorithm of a protocol: with a budget and no name, the one of fixed budget.
// It is an error where the name is not known before the script runs.
func protocolEntry(c *call) (algorithms.Entry, error) {
	// A budget without an algorithm means the usual one of fixed budget.
	if a := c.arg("algorithm"); a.Node == nil && budgeted(c) {
		return algorithms.Default(engine.ModeFB), nil
	}
	return entryNamed(algorithmOf(c, engine.ModeFC))
}

// budgeted reports whether a protocol says how much may be measured.
func budgeted(c *call) bool { return c.has("budget") || c.has("total") || c.has("rounds") }

// protocolArgs are the arguments of protocol that are not options of the algorithm.
type protocolArgs struct {
	P                      *problem.Problem // the data of the problem decide; its means serve the forecast
	Plate, Capacity, Delay int              // pulls, or units of time; 0 where not given
	TimeUnit               string           // "" for the default
	Lease, Cost, Gaps      float64          // in units of time, money of a pull, reward units; 0 where not given
	Failed, Late           *float64         // shares below 1; nil where not given, which the forecast fills in
	Runs                   *int             // of the forecast; nil where not given, 0 for no forecast
	Seed                   uint64           // 0 where not given: each start then takes another one
	Block, Control         string           // "" where not given
	Attach                 *bool            // nil where not given, which is true
	BlockSize              int              // arms of a task in a block; 0 for all that are open
}

// inBlocks returns the protocol with the blocks that are stated, if any are.
// The block of the problem counts where none is named. Size or control without any block is an error.
func (a protocolArgs) inBlocks(c *call, p campaign.Protocol) (campaign.Protocol, error) {
	if a.Block == "" && a.BlockSize == 0 && a.Control == "" {
		return p, nil
	}
	if b := p.Problem.Block; a.Block == "" && b != nil {
		a.Block = b.Name
	}
	if a.Block == "" {
		// The mistake is shown under the one that is given.
		param := map[bool]string{true: "block_size", false: "control"}[a.BlockSize > 0]
		return p, &argumentError{param: param, message: "protocol: nothing was fixed",
			err: fmt.Errorf(`%s is of blocks, and nothing says what a block is: add block="day"`, param)}
	}
	// What the notes say of blocks is about the blocks of the problem, which are replaced.
	c.e.session.noted = slices.DeleteFunc(c.e.session.noted, func(n problem.Note) bool { return n.Kind == problem.NoteBlocks })
	return campaign.InBlocks(p, a.Block, a.BlockSize, a.Control), nil
}

// checkProtocol reports options that the algorithm does not have, and a budget that it needs or does not have.
// The cases at the end go by what is given, since the numbers may not be known yet.
func checkProtocol(c *call, _ protocolArgs) {
	e, err := protocolEntry(c)
	if err != nil {
		return // reported, or not known before the script runs
	}
	// Options first: the mistakes below rest on the algorithm having what it is given.
	before := c.e.mistakes
	// A given option that the algorithm lacks, as in checks of runs.
	for i, p := range c.fn.Params {
		a := &c.args[i]
		if a.Node == nil || p.Name == "p" || p.Name == "algorithm" {
			continue
		}
		if _, isNumber := a.Data.(float64); !p.had(e) || isNumber && !p.takesNumber(e) {
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
		if a := c.arg("rounds"); !c.has("plate") && !c.has("capacity") { // rounds count plates, or what the laboratory makes in a unit of time
			c.fail(a, "protocol: rounds alone says nothing of how many pulls there are",
				"add budget=12 (of each task), total=200 (of all tasks), or plate= or capacity=: each round is then one")
		}
	case needs && !budgeted(c):
		c.fail(c.arg("algorithm"), fmt.Sprintf("protocol: %s needs budget, the pulls of each task, or total, the pulls of all", e.Name),
			"write budget=48 or total=200, or choose an algorithm with a guarantee such as "+algorithms.Default(engine.ModeFC).Name)
	case !needs && budgeted(c):
		c.fail(c.arg("budget"), fmt.Sprintf("protocol: %s has no budget: it goes on until it is sure", e.Name),
			`choose algorithm="CoBayesFB", or leave budget out`)
	}
}

// evalProtocol evaluates protocol(...).
// The protocol is checked before its forecast is made, which may take long.
func evalProtocol(c *call, a protocolArgs) (any, error) {
	e, err := protocolEntry(c)
	if err != nil {
		return nil, err
	}
	p := campaign.Protocol{
		Problem: a.P, Mode: e.Mode, Algorithm: e.Name, Options: optionsOf(c), Plate: a.Plate, Capacity: a.Capacity, TimeUnit: a.TimeUnit,
		Lease: a.Lease, Cost: a.Cost, Seed: a.Seed, Failed: a.Failed, Late: a.Late, Delay: a.Delay, Fresh: a.Attach != nil && !*a.Attach,
	}
	if p, err = a.inBlocks(c, p); err != nil {
		return nil, err
	}
	// Rounds without a budget: each is a plate or a unit of time.
	if p.Options.Rounds > 0 && p.Options.Budget == 0 && p.Options.Total == 0 {
		p.Options.Total = p.Options.Rounds * max(p.Plate, p.Capacity)
	}
	p.Options.Delta = cmp.Or(p.Options.Delta, engine.DefaultDelta) // the protocol states it, whoever reads it later
	if err := p.Check(c.e.ctx); err != nil {
		return nil, err
	}
	runs := 0 // as plan.RunsFor says
	if a.Runs != nil {
		runs = *a.Runs
	}
	if a.Runs != nil && runs == 0 || c.e.session.opt.noForecast { // read again from the folder, or stated so
		return p, nil
	}
	p.Forecast, err = computed(c, func() (*campaign.Forecast, error) {
		return campaign.MakeForecast(c.e.ctx, p, a.Gaps, runs, counting(c, p.Problem.Name))
	})
	return p, err
}

// evalStart evaluates start(...).
// What is recorded is the text and the data, from which each later command makes the protocol again. So it is made again
// here first, and a mistake in that shows before anything is measured.
func evalStart(c *call, a struct {
	Protocol campaign.Protocol
	Folder   string
}) (any, error) {
	if c.e.swept != nil {
		return nil, errSweptCampaign
	}
	p := a.Protocol
	// The name finds the definitions; a protocol within the call of start has none.
	if p.Name == "" || c.e.scope[p.Name] == nil {
		c.fail(c.arg("protocol"), "start: the protocol needs a name, by which it can be made again tomorrow",
			"write days = protocol(...) and start(days, ...)")
		return nil, nil
	}
	s := c.e.session
	text, err := scriptOf(s, p.Name) // refuses values of Go cells
	if err != nil {
		return nil, &argumentError{param: "protocol", message: "start: the campaign cannot be made again from its folder", err: err}
	}
	// Names that are set from outside are so in the text; the forecast was made already.
	opt := s.opt
	opt.noForecast, opt.Set, opt.Seed, opt.Shown, opt.Progress = true, nil, nil, nil, nil
	opt.Notice, opt.Noted = nil, nil // told when the problem was made first
	made, recipe, err := ReadProtocol(c.e.ctx, p.Name+".cope", text, opt)
	if err != nil {
		return nil, &argumentError{param: "protocol", message: "start: the protocol cannot be made again", err: err}
	}
	made.Forecast, made.Name = p.Forecast, p.Name // which making it again left out
	dir := s.path(a.Folder)
	campaignOf, err := folder.Start(c.e.ctx, dir, recipe, made, MakeProtocol, folderOptions(c))
	// A folder that has this campaign already is opened: the cell was run again.
	if errors.Is(err, folder.ErrExists) {
		campaignOf, err = openSame(c, dir, made)
	}
	if err != nil {
		return nil, &argumentError{param: "folder", message: "start: no campaign was made", err: err}
	}
	defer campaignOf.Close() // the next call opens the folder again
	return campaignOf.Status(c.e.ctx)
}

// openSame opens the campaign of a folder if it is this one.
func openSame(c *call, dir string, p campaign.Protocol) (*folder.Campaign, error) {
	k, err := folder.Open(c.e.ctx, dir, MakeProtocol, folderOptions(c))
	if err != nil {
		return nil, err
	}
	// The campaign may have grown since: its start and its present state both count as this one.
	if own := k.Protocol(); own.AtStart().Fingerprint() != p.Fingerprint() && own.Fingerprint() != p.Fingerprint() {
		k.Close()
		return nil, fmt.Errorf("%s holds another campaign: its problem or its protocol differs; choose another folder (resume opens "+
			"that one; rows that came to its table are added by amend(c, add=...))", dir)
	}
	return k, nil
}

// errSweptCampaign answers a sweep over what happens once.
var errSweptCampaign = errors.New("a campaign is made of real measurements, which no sweep can make again; sweep over fc or fb, " +
	"whose rewards are simulated")

// folderOptions tells oddities of a campaign as the session tells all notices.
func folderOptions(c *call) folder.Options {
	return folder.Options{Notice: c.e.session.notice}
}

// inCampaign opens the campaign that an argument names, and does something with it.
// The folder is open only while f runs. Others may use it meanwhile: each write takes the lock for itself.
func inCampaign(c *call, param string, f func(*folder.Campaign) (any, error)) (any, error) {
	if c.e.swept != nil {
		return nil, errSweptCampaign
	}
	dir := c.e.session.path(c.text(param)) // the argument is a folder
	if status, opened := c.arg(param).Data.(campaign.Status); opened {
		dir = status.Folder
	}
	k, err := folder.Open(c.e.ctx, dir, MakeProtocol, folderOptions(c))
	if err != nil {
		return nil, &argumentError{param: param, message: c.fn.Name + ": the campaign cannot be opened", err: err}
	}
	defer k.Close()
	return f(k)
}
