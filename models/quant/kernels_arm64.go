package quant

// best is the highest level that the processor has.
var best = portable

// levels are the kernels of each level.
var levels = stack(levelKernels{})
