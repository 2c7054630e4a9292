package models

// Costs are what the passes of a model read and keep.
type Costs struct {
	Anatomy
	KeySize, ValueSize int // numbers of a KV head, at one position
	NumberBytes        int // of a number in the cache
	PassTokens         int // most tokens that one pass over the weights takes

	Weights, WeightBytes             int64 // numbers, and bytes as they are stored; experts included
	ExpertWeights, ExpertWeightBytes int64 // those of the experts that a token chooses among
	Experts, ExpertsUsed             int   // by layer and token; 0 without experts
}

// A Coster is a [Model] that knows what its passes cost.
type Coster interface {
	Model
	Costs() Costs
}
