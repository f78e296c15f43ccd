package db

import (
	"testing"
	"time"
)

func TestGroupLimiter(t *testing.T) {
	t.Parallel()
	const job, commit = 150 * time.Microsecond, 500 * time.Microsecond
	for _, tt := range []struct {
		name          string
		jobs, waiting int
		job, commit   time.Duration
		want          int
	}{
		{"one caller", 1, 0, job, commit, 10},
		{"a few in one group: limit unchanged", 4, 0, job, commit, 10},
		{"many in one group", 64, 0, job, commit, 32},
		{"many in two groups", 32, 32, job, commit, 32},
		{"more than one group can hold", 64, 300, job, commit, maxGroup},
		{"a slow disk", 64, 0, job, 5 * commit, 50},
		{"a very slow disk", 64, 0, job, 50 * commit, maxGroup},
		{"long jobs", 2, 0, 100 * job, commit, 1},
	} {
		var p groupLimiter
		if p.limit() != maxGroup {
			t.Errorf("initial limit: got %d, want %d", p.limit(), maxGroup)
		}
		for range 10 {
			p.observe(tt.jobs, tt.waiting, time.Duration(tt.jobs)*tt.job, tt.commit)
		}
		if got := p.limit(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
		p.observe(tt.jobs, tt.waiting, time.Duration(tt.jobs)*tt.job, 2*tt.commit) // as for a checkpoint
		if got := p.limit(); got < tt.want || got > max(tt.want, maxGroup/2)*5/4 {
			t.Errorf("%s, then one slow commit: got %d, want about %d", tt.name, got, tt.want)
		}
		for range 100 { // only one caller remains
			p.observe(1, 0, job, commit)
		}
		if got := p.limit(); got < 9 || got > 11 {
			t.Errorf("%s, then one caller: got %d, want about 10", tt.name, got)
		}
	}
}
