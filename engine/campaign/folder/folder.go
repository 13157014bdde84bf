package folder

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Maker makes the protocol from a recipe, see record.Maker.
type Maker = record.Maker

// Options state how a folder is opened, see record.Options.
type Options = record.Options

// Campaign is an open campaign in a folder. It is safe for concurrent use by goroutines and by processes.
type Campaign struct {
	*record.Campaign
	dir string    // path as the caller gave it
	db  *database // open until Close
	opt Options
}

// Open opens the campaign in a folder. It evaluates the recorded script and folds all events. A folder that can only be
// read is opened too; recording then fails. Open calls Options.Notice for files beside the database that were changed,
// which are not errors.
func Open(ctx context.Context, dir string, maker Maker, opt Options) (*Campaign, error) {
	db, err := openFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	c, err := open(ctx, db, maker, opt)
	if err != nil {
		err = db.explain(ctx, err)
		db.Close()
		return nil, err
	}
	return c, nil
}

// open reads the recorded events of a database, and makes the protocol from them.
func open(ctx context.Context, db *database, maker Maker, opt Options) (_ *Campaign, err error) {
	defer try.Caught(&err)
	// before the events: headFile is written after its event, so that this event must be among them
	seq, hash := readHead(db.dir)
	c := &Campaign{try.Of(record.Open(ctx, db.as(opt), maker, opt)), db.dir, db, opt}
	compareCopies(c.dir, c.Recipe(), opt.Say)
	if err := db.checkHead(ctx, db.db, seq, hash); err != nil {
		opt.Say(err.Error())
	}
	return c, nil
}

// Start makes a campaign in a folder, and creates the folder if necessary. p is the protocol with its forecast, and r the
// recipe from which p was made. Start returns an error if maker makes another problem from r: the campaign could not be
// opened again. If Start returns both a campaign and an error, the start is recorded.
func Start(ctx context.Context, dir string, r question.Recipe, p campaign.Protocol, maker Maker, opt Options) (*Campaign, error) {
	var db *database
	k, err := record.Start(ctx, r, p, maker, opt, func(events []campaign.Event, files []campaign.File) (_ record.Store, err error) {
		db, err = startWith(ctx, dir, opt, events, files)
		return db, err
	})
	if k == nil {
		return nil, err
	}
	c := &Campaign{k, dir, db, opt}
	c.writeCopies()
	return c, err
}

// Do executes an act; see record.Campaign.Do. It also writes copies of the rows of added arms.
func (c *Campaign) Do(ctx context.Context, act campaign.Act) (campaign.Done, error) {
	done, err := c.Campaign.Do(ctx, act)
	if err == nil && len(done.Files) > 0 {
		c.writeCopies()
	}
	return done, err
}

// writeCopies writes the script and data beside the database, for people. The campaign is already recorded, and so an
// error is only a notice.
func (c *Campaign) writeCopies() {
	if err := copies(c.dir, c.Recipe()); err != nil {
		c.opt.Say("the copies of script and data beside the database could not be written (" + err.Error() + "); the recorded ones count")
	}
}

// Tell records the results of a sheet; see campaign.Tell.
func (c *Campaign) Tell(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	return c.receipt(ctx, &campaign.Tell{File: campaign.File{Content: sheet}, TellOptions: opt})
}

// TellOne records the result of one id.
func (c *Campaign) TellOne(ctx context.Context, id string, reward float64, opt campaign.TellOptions) (campaign.Receipt, error) {
	return c.receipt(ctx, &campaign.TellOne{ID: id, Reward: reward, TellOptions: opt})
}

// receipt executes an act with a sheet, and returns its receipt.
func (c *Campaign) receipt(ctx context.Context, act campaign.Act) (campaign.Receipt, error) {
	done, err := c.Do(ctx, act)
	if err != nil || done.Receipt == nil {
		return campaign.Receipt{}, err
	}
	return *done.Receipt, nil
}

// Mine returns a person's pulls in the open round with their results, and the number of pulls of all people without a
// result. It needs no replay, and so is fast.
func (c *Campaign) Mine(ctx context.Context, by string) (campaign.List, int, error) {
	m, err := c.Moment(ctx)
	if err != nil {
		return campaign.List{}, 0, err
	}
	_, remaining, _ := m.Remaining()
	return m.Mine(by), remaining, nil
}

// Preview returns the receipt that Tell would give for a sheet, and records nothing. If other people record results before
// Tell, rows may become known or late.
func (c *Campaign) Preview(ctx context.Context, sheet []byte, opt campaign.TellOptions) (_ campaign.Receipt, err error) {
	defer try.Caught(&err)
	m := try.Of(c.Moment(ctx))
	act := &campaign.Tell{File: campaign.File{Content: sheet}, TellOptions: opt}
	try.To(act.Prepare(ctx, m.Protocol))
	done := try.Of(act.Do(ctx, campaign.Doing{Moment: m}))
	// nothing was recorded
	done.Receipt.Taken = false
	return *done.Receipt, nil
}

// Lead makes the plan of the leading run the open round. If a round with the plan's digest exists, it does nothing, so
// that a restarted agent may repeat the call.
func (c *Campaign) Lead(ctx context.Context, plan engine.Plan) error {
	return c.Write(ctx, func(m campaign.Moment) ([]campaign.Event, error) {
		return m.Lead(plan, "the run continued without this agent", c.opt.Program()), nil
	})
}

// ToldOf returns the results of the round whose plan has the given digest, once the round is complete; otherwise false.
// See State.ToldOf.
func (c *Campaign) ToldOf(ctx context.Context, digest string) (results []campaign.ResultRecord, whole bool, err error) {
	defer try.Caught(&err)
	results, whole = try.Of(c.Moment(ctx)).ToldOf(digest)
	return results, whole, nil
}

// History returns the recorded events and measurements, without rewards of the open round. It needs no replay.
func (c *Campaign) History(ctx context.Context) (_ campaign.History, err error) {
	defer try.Caught(&err)
	return try.Of(c.Moment(ctx)).History(), nil
}

// Renew simulates the rest of the campaign with the given number of runs; see campaign.Renew. It writes nothing. progress
// may be nil.
func (c *Campaign) Renew(ctx context.Context, runs int, progress func(done, total int)) (*campaign.Renewal, error) {
	m, err := c.Moment(ctx)
	if err != nil {
		return nil, err
	}
	return campaign.Renew(ctx, m, new(model.Memory), runs, progress)
}

// exists reports whether a folder holds a campaign.
func exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, DatabaseFile))
	return err == nil
}
