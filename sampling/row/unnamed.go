package row

import "math"

// A row of a server may name only the most probable tokens and leave a share
// to all others (the Rest of a step's input). Cuts that compare probabilities with a number
// must count that share, or top_p 0.9 would be 0.9 of a part. So the row
// follows what becomes of the unnamed tokens together: none of them is more
// probable than a named one, so a cut that removes a named token removes them
// all; a temperature changes their share by an amount that is known within
// bounds only, of which the middle is taken. They are never drawn.

// loadRest sets the weight of the unnamed tokens from their share.
func (r *Row) loadRest(ids []int32, rest float32) {
	r.rest = math.Inf(-1)
	if s := float64(rest); ids != nil && s > 0 && s < 1 {
		sum := 0.0
		for _, v := range r.Raw {
			sum += math.Exp(float64(v - r.RawMax))
		}
		r.rest = float64(r.RawMax) + math.Log(sum) + math.Log(s) - math.Log1p(-s)
	}
}

// unnamed returns how many tokens a partial row does not name, at least 1.
func (r *Row) unnamed() int { return max(r.Vocab-len(r.Raw), 1) }

// HasRest reports whether there are unnamed tokens left.
func (r *Row) HasRest() bool { return r.rest > math.Inf(-1) }

// Share returns what of the probability left the named tokens have.
func (r *Row) Share() float64 {
	if !r.HasRest() {
		return 1
	}
	r.Sums()
	return 1 / (1 + math.Exp(r.rest-float64(r.Ref))/r.Sum)
}

// OfNamed turns a share of all tokens left into one of the named tokens.
func (r *Row) OfNamed(p float32) float32 {
	if !r.HasRest() {
		return p
	}
	return float32(float64(p) / r.Share())
}

// A Counted cut keeps a number of tokens.
type Counted interface{ Count() int }

func (s TopKTies) Count() int  { return max(s.K, s.Keep) }
func (k TopKArray) Count() int { return int(k) }
func (k GoTopK) Count() int    { return int(k) }

// FollowRest notes what a stage did to the unnamed tokens: it was given before
// tokens; it cuts by probability if cuts; and of all tokens it keeps the best
// count, if that is above 0.
func (r *Row) FollowRest(before, count int, cuts bool) {
	switch {
	case !r.HasRest():
	case cuts && r.Finite < before && !r.Holes, count > 0 && count <= len(r.Raw):
		r.rest = math.Inf(-1)
	case count > 0 && count < len(r.Raw)+r.unnamed():
		r.rest = r.restOf(float64(count - len(r.Raw)))
	case r.Scaled != 0:
		r.rest = r.temper(float64(r.Scaled), r.unnamed())
	}
}

// Least returns the smallest logit above -Inf: no unnamed token has a larger
// one.
func (r *Row) Least() float64 {
	least := math.Inf(1)
	for _, v := range r.X[:r.N] {
		if v > negInf {
			least = min(least, float64(v))
		}
	}
	return least
}

// restOf returns the weight of the k best unnamed tokens: at least their even
// part of the weight, at most k times the least named one's.
func (r *Row) restOf(k float64) float64 {
	even := r.rest + math.Log(k/float64(r.unnamed()))
	most := min(r.rest, math.Log(k)+r.Least())
	return (even + most) / 2
}

// temper returns the weight of n unnamed tokens after their logits were
// divided by t, as those of the entries were: between that of tokens that are
// all alike and that of as few as fit below the named ones.
func (r *Row) temper(t float64, n int) float64 {
	alike := (1-1/t)*math.Log(float64(n)) + r.rest/t
	packed := r.rest + (1/t-1)*min(r.Least()*t, r.rest)
	return (alike + packed) / 2
}

// EntropyBounds returns bounds of the entropy of the tokens left, in nats: the
// unnamed ones are at least as spread as the least named one demands, and at
// most alike.
func (r *Row) EntropyBounds() (lo, hi float64) {
	r.Sums()
	h := math.Log(r.Sum) - r.dot/r.Sum
	if !r.HasRest() {
		return h, h
	}
	p := r.Share()
	named := p * (h - math.Log(p))
	least := math.Exp(r.Least()-float64(r.Ref)) / r.Sum * p
	return named - (1-p)*math.Log(min(least, 1-p)), named - (1-p)*math.Log((1-p)/float64(r.unnamed()))
}

// entropyAbout returns the middle of what the entropy can be.
func (r *Row) entropyAbout() float64 {
	lo, hi := r.EntropyBounds()
	return (lo + hi) / 2
}
