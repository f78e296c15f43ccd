package main

import (
	"encoding/json"
	"testing"
	"time"
)

func TestHostileResults_Gates(t *testing.T) {
	t.Parallel()
	p99 := func(list ...time.Duration) (all []measured) {
		for _, d := range list {
			all = append(all, measured{P99: d * time.Millisecond})
		}
		return all
	}
	var r report
	hostileResults{
		names: []string{"mild", "middling", "severe"}, alone: p99(20, 10, 5),
		during:   map[string][]measured{"mild": p99(30, 10, 50), "middling": p99(60, 10, 100), "severe": p99(62, 31, 100)},
		controls: map[string][]measured{"mild": p99(20, 10, 5), "middling": p99(20, 20, 5), "severe": p99(10, 20, 5)},
		peak:     513 << 20,
	}.report(&r)
	want := []struct {
		value   float64
		verdict string
	}{{1.5, "stretch"}, {3, "gate"}, {3.1, "MISSED"}, {513, "MISSED"}}
	if len(r.Gates) != len(want) || len(r.Measured) != 7 || len(r.Notes) != 3 {
		t.Fatalf("got %d gates, %d results and %d notes, want %d, 7 and 3", len(r.Gates), len(r.Measured), len(r.Notes), len(want))
	}
	for i, g := range r.Gates {
		if g.Value != want[i].value || g.verdict() != want[i].verdict {
			t.Errorf("%s: got %g %s, want %g %s", g.What, g.Value, g.verdict(), want[i].value, want[i].verdict)
		}
	}
}

func TestSearches_DistinctAndSmall(t *testing.T) {
	t.Parallel()
	first, second := searches(1), searches(2)
	if first == second || len(first) > 10<<10 || !json.Valid([]byte(first)) {
		t.Errorf("got %d bytes, equal: %v", len(first), first == second)
	}
}

func TestFragments_DistinctAndSmall(t *testing.T) {
	t.Parallel()
	first, second := fragments(1), fragments(2)
	if first == second || len(first) > 16<<10 || !json.Valid([]byte(first)) {
		t.Errorf("got %d bytes, equal: %v", len(first), first == second)
	}
}
