// Package shallow answers: what would a model draft with some of its own
// layers left out? That is self-speculation (Zhang et al. 2024, "Draft &
// Verify", arXiv 2309.08168): the draft needs no weights of its own, and what
// it drafts is verified by the whole model as any draft is.
package shallow

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/models"
)

// A Model is another model without some of its layers. It has the weights of
// that model and does not close it.
type Model struct {
	models.Model
	off    []models.Part
	layers []int // left out, from 1
}

// New returns m without layers, which are counted from 1. m must be able to
// leave parts out, and one layer must stay.
func New(m models.Model, layers []int) (*Model, error) {
	a, ok := m.(models.Anatomist)
	if !ok {
		return nil, fmt.Errorf("%s cannot leave layers out: only models that run here can", m.Info().Name)
	}
	n := a.Anatomy().Layers()
	s := &Model{Model: m}
	for _, l := range slices.Compact(slices.Sorted(slices.Values(layers))) {
		if l < 1 || l > n {
			return nil, fmt.Errorf("layer %d: must be from 1 to %d", l, n)
		}
		s.layers = append(s.layers, l)
		s.off = append(s.off, models.Part{Kind: models.LayerPart, Layer: l - 1})
	}
	switch {
	case len(s.layers) == 0:
		return nil, fmt.Errorf("no layers to leave out; want some of 1 to %d", n)
	case len(s.layers) == n:
		return nil, fmt.Errorf("all %d layers are left out; one must stay", n)
	}
	return s, nil
}

// Open returns m without the layers that a name such as "self:3,5-7" lists. ok
// is false for another name.
func Open(m models.Model, name string) (_ *Model, ok bool, err error) {
	list, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return nil, false, nil
	}
	layers, err := parse(list)
	if err != nil {
		return nil, true, err
	}
	s, err := New(m, layers)
	return s, true, err
}

const prefix = "self:"

// Offer is the name of such a draft of m that is worth a try: without the layer
// in the middle. It is empty for a model that cannot leave layers out.
func Offer(m models.Model) string {
	a, ok := m.(models.Anatomist)
	if !ok || a.Anatomy().Layers() < 2 {
		return ""
	}
	return prefix + strconv.Itoa(a.Anatomy().Layers()/2+1)
}

// parse reads a list of layers, such as "3,5-7".
func parse(list string) (layers []int, err error) {
	const most = 10_000
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(strings.TrimSpace(from))
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if err != nil || a < 1 || b < a || b > most {
			return nil, errors.New("want layers such as self:3,5-7")
		}
		for l := a; l <= b; l++ {
			layers = append(layers, l)
		}
	}
	return layers, nil
}

// Info is the model's, under a name that says what is left out.
func (m *Model) Info() models.Info {
	i := m.Model.Info()
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(m.layers), " ", ","), "[]")
	i.Name += " without layers " + list
	if len(m.layers) == 1 {
		i.Name = m.Model.Info().Name + " without layer " + list
	}
	return i
}

// NewSession returns a session that leaves the layers out.
func (m *Model) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	if err != nil {
		return nil, err
	}
	in, ok := s.(models.Insider)
	if !ok {
		s.Close()
		return nil, fmt.Errorf("%s: its sessions cannot leave layers out", m.Model.Info().Name)
	}
	in.SwitchOff(m.off...)
	return s, nil
}

// Close does nothing: the model is another's.
func (m *Model) Close() error { return nil }
