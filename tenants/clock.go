package tenants

import (
	"log/slog"
	"time"
)

// clockWatch tells when the machine's clock jumps. Nothing stops: what was acknowledged stays, and
// what goes by times (codes, tokens, unpaid orders) is right again with the clock.
type clockWatch struct {
	log     *slog.Logger
	wall    time.Time     // by the clock, at the last look
	running time.Duration // of the process, then
}

// check compares what passed by the clock since the last look with what really did.
func (c *clockWatch) check(wall time.Time, running time.Duration) {
	wall = wall.Round(0) // which takes the monotonic reading away
	jumped := wall.Sub(c.wall) - (running - c.running)
	first := c.wall.IsZero()
	c.wall, c.running = wall, running
	if !first && jumped.Abs() > maxSkew {
		c.log.Warn("the clock of this machine jumped: see that NTP keeps it; codes, tokens and the ends of unpaid orders go by it", "by", jumped.Round(time.Second).String())
	}
}
