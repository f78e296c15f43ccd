package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
)

// importTimeout limits the work on one import, which begins when it is no longer waiting.
const importTimeout = 10 * time.Minute

// queueImport is the middleware of imports. It waits until no other import or dry run of the shop
// is under way, and then extends the deadline of this one. The body is not read
// before, so that waiting imports hold no memory. Codes: rate_limited.
func (s *Server) queueImport(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	done, err := x.acquireImport()
	if err != nil {
		x.fail(err)
		return
	}
	defer done()
	now := time.Now()
	x.deadline.extend(now.Add(importTimeout))
	control := http.NewResponseController(x.ResponseWriter)
	// A response that is not on a connection has no deadlines.
	_ = control.SetReadDeadline(now.Add(s.cfg.RequestTimeout))
	_ = control.SetWriteDeadline(now.Add(importTimeout + writeTimeout))
	next(ctx)
}

// acquireImport waits for a fifth of the request's time at most.
func (x *exchange) acquireImport() (release func(), err error) {
	if x.server.limits == nil {
		return func() {}, nil
	}
	wait := x.server.cfg.RequestTimeout / 5
	ctx, cancel := context.WithTimeout(&x.deadline, wait)
	defer cancel()
	release, err = x.acquire(ctx, &x.server.limits.imports, x.shop.UID())
	full := fault.HasCode(err, fault.CodeRateLimited)
	late := errors.Is(err, context.DeadlineExceeded) && x.deadline.Err() == nil
	if full || late {
		return nil, &fault.Error{
			Code: fault.CodeRateLimited, RetryAfter: max(1, int(wait.Seconds())),
			Message: "Another import or dry run of this shop is under way. " +
				"Wait as long as Retry-After says.",
		}
	}
	return release, err
}
