// Package row answers: what is left of a step's logits after a stage, and how
// likely is each token then? A [Row] is the set of tokens that stages narrow
// down to one, with the exponentials, order and touches that the next stage,
// the draw and the trace read. It knows nothing of settings, texts or
// engines: cuts are values with an Apply method, made by whoever knows the
// settings.
//
// plain.go has the best known samplers in the ten or twenty lines of their
// definitions, to read first. The other files do the same to a vocabulary of
// 150,000 tokens in a fraction of the time, each engine's rounding, ties and
// borders included: dense_cuts.go is transformers and vLLM, array_cuts.go is
// llama.cpp, go_cuts.go is Ollama's sampler in Go. A test holds them to the
// plain ones.
//
// # What a stage owes
//
// A stage reads [Row.X] for i in [0, [Row.N]) and what [Row.Pos] and
// [Row.Entry] say of places. It leaves the row right if it changes it through
// these alone:
//
//   - [Row.Set] gives one entry another logit, and notes it for the trace.
//   - [Row.Keep], [Row.Truncate] and [Row.KeepMask] remove entries; so do the
//     unexported keepFrom, permute and DropFirst.
//   - [Row.Bury] leaves tokens in the array at -Inf.
//   - scaleBy divides every logit.
//
// Who writes X itself owes the flags that these set: Finite counts the
// entries above -Inf; Row.dirty after any change, since E and Sum are of the
// logits before; Row.rebound while the row is dense, since it keeps maxima
// of its blocks; Sorted must become false unless the logits still descend;
// Holes must become true if tokens better than those left were removed. Before
// E is read, [Row.Exps] makes it agree with X; before Sum alone is, [Row.Sums].
// Before the order of equal logits is read, [Row.SettleAll] (or Settle for one
// entry) gives them the engine's.
//
// The package is a leaf: it imports nothing of the project but simd.
package row
