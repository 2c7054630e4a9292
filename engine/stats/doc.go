// Package stats answers: how sure is this number? It says how sure a
// measurement is: estimates with their 95 % intervals, paired differences with
// a verdict, tests corrected for many comparisons, and the measures of several
// texts at once. It knows numbers and token ids only. All results are functions
// of their arguments; what resamples does so with a seed.
//
// Which quantity has which interval is the caller's choice among [Wilson]
// (a share of independent texts), [Mean] (t, normal from [NormalFrom] values
// on), [Clustered] (a share over prompts and seeds), [PairedShare],
// [PairedMean] and [Bootstrap].
package stats
