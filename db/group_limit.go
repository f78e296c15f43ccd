package db

import "time"

// maxGroup is how many updates one commit carries at most.
const maxGroup = 64

// groupLimiter chooses how many jobs a group takes. If it took all callers', the writer would be idle while
// all of them are being answered and come again: half of them keep it busy meanwhile. But a group
// also runs for some times as long as its commit takes, so that commits stay a small part of the work.
type groupLimiter struct {
	callers int           // how many there seem to be at the same time
	run     time.Duration // of one job, on average; 0: not known yet
	commit  time.Duration // of one group, on average: now and then one takes far longer
}

// runsPerCommit is how many times longer than its commit a group runs, if so many jobs wait.
const runsPerCommit = 3

// observe is told of a group that was committed, and how many jobs wait behind it.
func (p *groupLimiter) observe(jobs, waiting int, ran, commit time.Duration) {
	p.callers = max(jobs+waiting, p.callers*7/8)
	p.run = average(p.run, ran/time.Duration(jobs))
	p.commit = average(p.commit, commit)
}

// average moves an average by one value. The first one is the average.
func average(old, value time.Duration) time.Duration {
	if old == 0 {
		return value
	}
	return old + (value-old)/8
}

// limit is how many jobs the next group takes at most.
func (p *groupLimiter) limit() int {
	if p.run == 0 {
		return maxGroup
	}
	return min(max((p.callers+1)/2, int(runsPerCommit*p.commit/p.run)), maxGroup)
}
