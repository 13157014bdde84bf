// Package wire is the binary format of the messages that agents broadcast in a round, and computes the length of alternative formats.
//
// In each communication round every agent sends one message to all others. Its contents depend on the estimator of the receivers [Du23,
// App. C.3]:
//
//	Merged  a count and a mean for each arm of the agent [Du23, Alg. 1, l. 10], and its
//	        squared deviations for tests that estimate the noise, with the smallest
//	        and the largest reward for tests by betting
//	Raw     every reward separately, with its arm: the input of the estimators of Dubey and
//	        Pentland (2020) and of Camilleri et al. (2021), Algorithms 4 and 6
//	Theta   the estimated parameter θ̂ in an explicit feature space, m numbers, as
//	        federated linear bandits send
//
// Each is sufficient for all agents to continue as replicas, because all know the plan of the round. With Merged and Raw the sums of the
// estimator follow directly. With Theta, agent v sends θ̂_v = A_v⁻¹ b_v, where
//
//	A_v = Nξ I + Σ_i N_i φ(x̃_i) φ(x̃_i)ᵀ  over its own arms i
//
// depends on the plan's counts only, so that receivers recover b_v = A_v θ̂_v and merge. They need the features φ in the same basis as
// the sender, and ξ > 0 or counts whose features span the space, since otherwise A_v is singular. Only Merged and Raw contain the
// variation of rewards; the length of Theta is then that of a part.
//
// A message is
//
//	version  1 byte, Version
//	kind     1 byte
//	agent    uvarint, from 0
//	round    uvarint, from 1
//	digest   8 bytes, of the plan that the sender followed
//	n        uvarint, number of entries
//	entries  n times
//	         Merged  count uvarint, then the mean as 8 bytes unless the count is 0, then
//	                 with squares these as 8 bytes unless the count is 0 or 1, and with
//	                 ranges the smallest and the largest reward likewise; messages with
//	                 squares, and with both, have kinds of their own
//	         Raw     arm uvarint, counted from 0 among the agent's own; reward 8 bytes
//	         Theta   8 bytes
//
// with uvarints as in encoding/binary and IEEE 754 numbers, little-endian. Every message has one encoding: Append reproduces what Parse
// accepts, byte by byte.
package wire
