// Package answer says, from measurements alone, which arm of every task to take, how sure that is, and what
// to measure next.
//
// What is believed of the rewards comes from engine/belief, whose kernel, level and noise are found and not
// stated. Best takes the arm with the highest expected reward in every task. The probability that it is
// within ε of the best, and the loss that taking it now is expected to cost, are shares and means of draws of all
// arms together. These are beliefs, and no guarantee: they are as true as the kernel predicts.
package answer
