//go:build !amd64 && !arm64

package quant

// A panelScratch is what a worker needs for tiles: nothing without assembly.
type panelScratch struct{}

func groupFor(n, cols int) int { return 0 }

func (a *Activations) pack([]float32) {}

func (p *product) mulPanels(s *scratch, lo, hi int) bool { return false }

func (p *product) mulRows(lo, hi int) bool { return false }

func (p *product) mulFours(s *scratch, lo, hi int) bool { return false }

func (p *product) mulWide(s *scratch, r, n, cols int) { p.mulWidePortable(s, r, n, cols) }

func decodeFast(f *format, dst []float32, src []byte) bool { return false }

func evaluateFast(dst []float32, c *chunk) bool { return false }
