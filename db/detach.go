package db

import (
	"context"
	"time"
)

// detachedTime limits work that outlives its caller.
const detachedTime = 10 * time.Second

// Detach returns a context for short work that must be done even if ctx has ended, such as reading
// a record that was just committed. It has ctx's values, and a deadline of its own.
func Detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), detachedTime)
}
