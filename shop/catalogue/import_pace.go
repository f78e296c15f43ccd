package catalogue

import (
	"context"
	"time"
)

// pace lets a long check rest as long as it works, so that buyers get a processor in between.
type pace struct{ began, resumed time.Time }

// unpaced is the time for which a check works without rest. Most files need less.
const unpaced = time.Second

func newPace() *pace {
	now := time.Now()
	return &pace{began: now, resumed: now}
}

// rest returns after as long as the time since it returned last. It ends with the context, and
// returns its error.
func (p *pace) rest(ctx context.Context) error {
	now := time.Now()
	if now.Sub(p.began) > unpaced {
		select {
		case <-time.After(now.Sub(p.resumed)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.resumed = time.Now()
	return nil
}
