package tenants

import (
	"log/slog"
	"time"
)

// MaxClockSkew is the tolerated error of this machine's clock.
const MaxClockSkew = 30 * time.Second

// clockWatch logs jumps of the system clock. It stops nothing: acknowledged orders remain, and
// time-dependent data (codes, tokens, unpaid orders) recovers when the clock is corrected.
type clockWatch struct {
	log     *slog.Logger
	wall    time.Time     // system clock at the last check
	running time.Duration // run time of the process at the last check
}

// check compares the time since the last check by the system clock with the run time.
func (c *clockWatch) check(wall time.Time, running time.Duration) {
	wall = wall.Round(0) // drops the monotonic reading
	jumped := wall.Sub(c.wall) - (running - c.running)
	first := c.wall.IsZero()
	c.wall, c.running = wall, running
	if !first && jumped.Abs() > MaxClockSkew {
		c.log.Warn("the system clock jumped: check NTP; codes, tokens and the expiry of unpaid orders depend on it",
			"by", jumped.Round(time.Second).String())
	}
}
