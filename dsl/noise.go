package dsl

import (
	"errors"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// countsHint says how rewards of 0 and 1 are stated.
const countsHint = "rewards of 0 and 1 are recognised by best(p); successes= and trials= read counts of them; bounded=[0, 1] states them for tests"

// noiseParams returns the parameters about noise. kinds are the texts that noise takes besides
// those for unknown scales.
func noiseParams(doc string, kinds ...string) []Param {
	var environments, strengths []string
	for _, e := range problem.Environments() {
		environments = append(environments, e.Name)
		if e.Strength > 0 {
			strengths = append(strengths, e.Name+": "+e.Means)
		}
	}
	return []Param{
		{Name: "noise", Synonyms: []string{"sigma", "sd"}, Types: []Type{Number, Text}, Range: positive, Default: unset,
			elsewhere: map[string]string{"bernoulli": countsHint, "binary": countsHint, "binomial": countsHint, "auto": "leave noise out: best(p) finds it, and tests estimate it"},
			Choices:   append(kinds, noiseUnknown, noiseUnknown+" "+problem.UnknownTask, noiseUnknown+" "+problem.UnknownArm),
			Doc:       "noise scale of rewards: " + doc + `, "unknown" (one for all), "unknown task" or "unknown arm" (one for each)`},
		{Name: "noise_guess", Types: []Type{Number}, Range: positive, Default: unset, Doc: "with unknown noise, the guess by which the first round is planned; no guarantee depends on it; 1 when not given"},
		{Name: "bounded", Synonyms: []string{"bounds", "range", "limits"}, Types: []Type{List}, Default: unset, Doc: "in place of noise, the two numbers between which every reward lies, whatever its law"},
		{Name: "environment", Synonyms: []string{"env"}, Types: []Type{Text}, Choices: environments, Default: unset, Doc: "how simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled, with bounded= bernoulli; see docs/robustness.md for those that break the guarantee's conditions"},
		{Name: "strength", Types: []Type{Number}, Range: positive, Default: unset, Doc: "how far the environment departs from normal noise (" + strings.Join(strengths, ", ") + ")"},
	}
}

// noiseUnknown is the text for a noise scale that is unknown; by what its factors are, if not one
// for all, follows it.
const noiseUnknown = "unknown"

// unknownBy returns NoiseModel.UnknownBy of a text for unknown noise, "" for other texts.
func unknownBy(text string) string {
	by, unknown := strings.CutPrefix(text, noiseUnknown)
	switch {
	case !unknown:
		return ""
	case by == "":
		return problem.UnknownProblem
	}
	return strings.TrimPrefix(by, " ")
}

// noiseArgs are the arguments of noise.
type noiseArgs struct {
	Noise       any
	NoiseGuess  *float64
	Bounded     []float64
	Environment string
	Strength    float64
}

// checkNoise reports arguments of noise that do not fit together. It reports whether they do.
func checkNoise(c *call, a noiseArgs) bool {
	if guess := c.arg("noise_guess"); a.NoiseGuess != nil {
		if kind, text := a.Noise.(string); !text || unknownBy(kind) == "" {
			c.fail(&guess, c.fn.Name+": noise_guess is for noise that is unknown", `write noise="unknown", or noise=`+formatNumber(*a.NoiseGuess))
			return false
		}
	}
	if bounded := c.arg("bounded"); bounded.known() && (len(a.Bounded) != 2 || !(a.Bounded[0] < a.Bounded[1])) {
		c.fail(&bounded, c.fn.Name+": bounded must be a list of two numbers, the lower one first", "write bounded=[0, 1]")
		return false
	}
	return true
}

// model returns what the arguments state, which are checked.
func (a noiseArgs) model() problem.NoiseModel {
	m := problem.NoiseModel{Environment: a.Environment, Strength: a.Strength}
	switch noise := a.Noise.(type) {
	case float64:
		m.Scales = []float64{noise}
	case string:
		if m.UnknownBy = unknownBy(noise); m.UnknownBy == "" {
			m.Known = noise
		}
		if a.NoiseGuess != nil {
			m.Scales = []float64{*a.NoiseGuess}
		}
	}
	if a.Bounded != nil {
		m.Bounds = &[2]float64{a.Bounded[0], a.Bounded[1]}
	}
	return m
}

// noiseError returns the error of a noise model that cannot be, under the argument that it is
// about.
func noiseError(c *call, err error) error {
	if err == nil {
		return nil
	}
	about := "environment"
	if wrong := (*problem.NoiseError)(nil); errors.As(err, &wrong) {
		about = map[string]string{"Scales": "noise", "Known": "noise", "Bounds": "bounded", "Environment": "environment", "Strength": "strength"}[wrong.Field]
	}
	return &argumentError{param: about, message: c.fn.Name + ": the noise cannot be as stated", err: err}
}
