package remote

import (
	"time"

	"logitscope/models"
)

// What tests from outside reach into.

func SetTimeouts(m models.Model, t Timeouts) { m.(*server).c.timeouts = t }
func SetContext(m models.Model, n int)       { m.(*server).info.ContextLen = n }

// CheckAgain makes the next call make sure that the model is the same.
func CheckAgain(m models.Model) { m.(*server).checked = time.Now().Add(-checkEvery - time.Second) }

func TokensOf(s models.Session) []int32 { return s.(*session).tokens }
func PlainOf(s models.Session) bool     { return s.(*session).plain }

// Wire returns what requests to a target are made of.
func Wire(t Target) (base, auth string) { return t.Client.base, t.Client.auth }
