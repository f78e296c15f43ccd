package db

import "time"

// maxGroup is how many updates one commit carries at most.
const maxGroup = 64

// pace chooses how many jobs a group takes. If it took all callers', the writer would be idle while
// all of them are being answered and come again: half of them keep it busy meanwhile. That has to be
// worth one commit more, which costs half as much again as it takes by itself.
type pace struct {
	callers int           // how many there seem to be at the same time; 0: not known yet
	run     time.Duration // of one job, in the last group
	commit  time.Duration // of one group, on average: now and then one takes far longer
}

// learn is told of a group that was committed, and how many jobs wait behind it.
func (p *pace) learn(jobs, waiting int, ran, commit time.Duration) {
	p.callers = max(jobs+waiting, p.callers*7/8)
	p.run = ran / time.Duration(jobs)
	p.commit += (commit - p.commit) / 8
}

// limit is how many jobs the next group takes at most.
func (p *pace) limit() int {
	half := (p.callers + 1) / 2
	if p.callers == 0 || 2*time.Duration(half)*p.run < 3*p.commit {
		return maxGroup
	}
	return min(half, maxGroup)
}
