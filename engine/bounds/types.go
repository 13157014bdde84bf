package bounds

import "github.com/gonb-cope/gonb-cope/engine"

// Certified is an optimal value with a proved lower bound.
type Certified struct {
	Value float64 `json:"value"`
	Lower float64 `json:"lower"`
}

// ABC has the three forms of a corollary: (a) by maximum information gain, (b) by effective dimension, (c) by rank of
// tasks times rank of arms.
type ABC struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
	C float64 `json:"c"`
}

// Report is the value of bounds(...): the theory's quantities for one problem, with the constants of the proofs.
type Report struct {
	Problem string  `json:"problem"`
	Tasks   int     `json:"tasks"`
	Arms    int     `json:"arms"` // all tasks together
	Delta   float64 `json:"delta"`
	Epsilon float64 `json:"epsilon,omitempty"`
	Budget  int     `json:"budget,omitempty"` // T, per agent
	Ridge   float64 `json:"ridge"`            // ξ
	// reward units of one normalised unit; by default the largest noise scale
	Unit     float64 `json:"unit"`
	Norm     float64 `json:"norm"`      // bound on ‖θ*‖, normalised
	DeltaMin float64 `json:"delta_min"` // smallest gap between best and second, reward units

	InformationGain    float64 `json:"information_gain"`     // Υ
	InformationGainGap float64 `json:"information_gain_gap"` // relative duality gap
	// upper bound on Υ for very many arms, where InformationGain is a lower bound; 0 for others, where InformationGainGap
	// is enough
	InformationGainUpper float64 `json:"information_gain_upper,omitempty"`
	EffectiveDimension   int     `json:"effective_dimension"` // d_eff
	RankTask             int     `json:"rank_task"`           // rank K_Z
	RankArm              int     `json:"rank_arm"`            // rank K_{X,λ*}
	RankJoint            int     `json:"rank_joint"`          // rank K_{λ*}
	RoundingDimension    int     `json:"rounding_dimension"`  // d̃(ξ, λ*_1)

	Rho1    Certified `json:"rho_1"`
	RhoStar Certified `json:"rho_star"`
	Omega   Certified `json:"omega"`

	CharacteristicTime float64 `json:"characteristic_time"` // T* in the lower bound, all agents together; 0 if unknown
	// upper bound on T* for very many arms, where CharacteristicTime is a lower bound; 0 otherwise
	CharacteristicTimeUpper float64 `json:"characteristic_time_upper,omitempty"`
	LowerBoundSamples       float64 `json:"lower_bound_samples"` // T* kl(δ, 1-δ) / V, per agent
	// LowerBoundSamples with the T* for δ → 0 if a task has several right answers (Degenne and Koolen 2019); 0 otherwise
	LowerBoundSamplesLimit float64 `json:"lower_bound_samples_limit,omitempty"`
	// lower bound on the samples per agent, for algorithms that use the stated norm; 0 if unknown
	LowerBoundSamplesNorm float64 `json:"lower_bound_samples_norm,omitempty"`
	RoundsFC              int     `json:"rounds_fc"` // r* of the proof of Theorem 1
	RoundsFB              int     `json:"rounds_fb"` // R of Alg. 2

	Misfit    *Misfit          `json:"misfit,omitempty"` // nil if no misfit is stated
	Theorem   Theorem          `json:"theorem"`
	Corollary Corollary        `json:"corollary"`
	Notes     []engine.Warning `json:"notes,omitempty"` // conditions that do not hold, and how steps of the proofs are interpreted
}

// Theorem has the bounds of Theorem 1 (FC, samples per agent) and Theorem 2 (FB, error probability with Budget, 1 if the
// bound is void). FBBudget is the budget per agent for which the error probability is Delta.
type Theorem struct {
	FC       float64 `json:"fc"`
	FB       float64 `json:"fb"`
	FBBudget float64 `json:"fb_budget"`
}

// Corollary has the bounds of Corollary 1 (FC, samples per agent) and Corollary 2 (FB and FBBudget, as in Theorem).
type Corollary struct {
	FC       ABC `json:"fc"`
	FB       ABC `json:"fb"`
	FBBudget ABC `json:"fb_budget"`
}

// Hardness is the value of hardness(...): the gap and the difficulty of each task.
type Hardness struct {
	Problem string        `json:"problem"`
	Rows    []HardnessRow `json:"rows"`
}

// HardnessRow has the numbers of one task. Rewards and gaps are in the units of the data.
type HardnessRow struct {
	Task       string  `json:"task"`
	Arms       int     `json:"arms"`
	Best       string  `json:"best"`
	Second     string  `json:"second"`
	Gap        float64 `json:"gap"`
	Noise      float64 `json:"noise"` // σ of the best arm
	GapToNoise float64 `json:"gap_to_noise"`
	RhoAlone   float64 `json:"rho_alone"` // ρ*(0) of the task alone
	Weight     float64 `json:"weight"`    // weight of this task's arms in the joint ρ* allocation
}

// Spectrum is the value of spectrum(...): eigenvalues in decreasing order. With more than a few hundred arms, Joint and
// Arm have only the eigenvalues of the arms that λ* measures; the others are 0.
type Spectrum struct {
	Problem            string    `json:"problem"`
	Arms               int       `json:"arms"` // all tasks together
	Ridge              float64   `json:"ridge"`
	Joint              []float64 `json:"joint"` // of K_{λ*}
	Task               []float64 `json:"task"`  // of K_Z
	Arm                []float64 `json:"arm"`   // of K_{X,λ*}
	EffectiveDimension int       `json:"effective_dimension"`
	// lower and upper bound on Υ; the eigenvalues are those of the allocation whose gain is InformationGain
	InformationGain      float64 `json:"information_gain"`
	InformationGainUpper float64 `json:"information_gain_upper"`
}

// Design is the value of design(...): the first round's allocation.
type Design struct {
	Problem    string             `json:"problem"`
	Ridge      float64            `json:"ridge"`
	Value      float64            `json:"value"`
	Lower      float64            `json:"lower"`
	Iterations int                `json:"iterations"`
	Status     string             `json:"status"`
	Weights    []AllocationWeight `json:"weights"` // weights above 1e-9
}

// AllocationWeight is the fraction of the pulls for one arm.
type AllocationWeight struct {
	Task   string  `json:"task"`
	Arm    string  `json:"arm"`
	Weight float64 `json:"weight"`
}
