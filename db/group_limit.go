package db

import "time"

// maxGroup limits how many updates share one commit.
const maxGroup = 64

// groupLimiter limits the size of commit groups to half of the active callers. With all of them in
// one group the writer would be idle while they receive their results and call again. The limit is
// higher if a group would otherwise run for less than runsPerCommit times its commit, so that
// commits remain a small part of the work.
type groupLimiter struct {
	callers int           // estimate of the concurrent callers
	run     time.Duration // average duration of a job; 0 means unknown
	commit  time.Duration // average duration of a commit; a single one may be far longer
}

// runsPerCommit is the minimum ratio between the durations of a group's jobs and its commit, if
// enough jobs are queued.
const runsPerCommit = 3

// observe records a committed group and the number of jobs that are queued behind it.
func (p *groupLimiter) observe(jobs, waiting int, ran, commit time.Duration) {
	p.callers = max(jobs+waiting, p.callers*7/8)
	p.run = average(p.run, ran/time.Duration(jobs))
	p.commit = average(p.commit, commit)
}

// average updates a moving average by one value. The first value becomes the average.
func average(old, value time.Duration) time.Duration {
	if old == 0 {
		return value
	}
	return old + (value-old)/8
}

// limit returns the maximum number of jobs of the next group.
func (p *groupLimiter) limit() int {
	if p.run == 0 {
		return maxGroup
	}
	return min(max((p.callers+1)/2, int(runsPerCommit*p.commit/p.run)), maxGroup)
}
