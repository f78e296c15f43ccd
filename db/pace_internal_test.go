package db

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name              string
		jobs, waiting     int
		job, commit       time.Duration
		want              int
		thenJobs, andWant int // a group of so many, with nobody waiting, and the limit after thirty of them
	}{
		{"one caller", 1, 0, ms / 10, ms, maxGroup, 1, maxGroup},
		{"few callers: a commit more costs more than they do", 4, 0, ms / 10, ms, maxGroup, 4, maxGroup},
		{"many callers in one group", 64, 0, ms / 10, ms / 2, 32, 32, 16},
		{"in two groups", 32, 32, ms / 10, ms, 32, 1, maxGroup},
		{"a slow disk", 16, 0, ms / 10, 3 * ms, maxGroup, 16, maxGroup},
		{"a slow disk, with more of them", 64, 0, ms / 5, 3 * ms, 32, 64, 32},
		{"more than a group takes", 64, 300, ms / 10, ms, maxGroup, 64, 32},
		{"long jobs", 2, 0, 5 * ms, ms, 1, 1, 1},
	} {
		var p pace
		if p.limit() != maxGroup {
			t.Errorf("at first the limit is %d", p.limit())
		}
		for range 100 {
			p.learn(tt.jobs, tt.waiting, time.Duration(tt.jobs)*tt.job, tt.commit)
		}
		if got := p.limit(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		for range 30 {
			p.learn(tt.thenJobs, 0, time.Duration(tt.thenJobs)*tt.job, tt.commit)
		}
		if got := p.limit(); got != tt.andWant {
			t.Errorf("%s, then groups of %d: %d, want %d", tt.name, tt.thenJobs, got, tt.andWant)
		}
	}
}
