package db

import (
	"context"
	"time"
)

// detachedTime limits work that outlives its caller.
const detachedTime = 10 * time.Second

// Detach returns a context for the short work that must still be done after ctx has ended, such as
// reading what was just committed. It has ctx's values, and a deadline of its own.
func Detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), detachedTime)
}
