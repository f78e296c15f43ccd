package endpoint_test

import (
	"context"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/shoptest"
)

// accepting accepts all webhooks.
type accepting struct{ accepted atomic.Int64 }

func (s *accepting) Send(context.Context, endpoint.Webhook) (endpoint.Response, error) {
	s.accepted.Add(1)
	return endpoint.Response{Status: 200}, nil
}

// A queue of webhooks takes as much work for each of them, whatever waits behind it.
func TestEndpoints_QueueGrowth(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "the test counts the steps of SQLite")
	var work [2]int64
	for i, waiting := range []int64{1_000, 4_000} {
		a, sender := shoptest.NewAccounts(t), &accepting{}
		a.Config.WebhookSender = sender
		a = a.Reopened()
		if _, _, err := a.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: "https://example.com/"}); err != nil {
			t.Fatal(err)
		}
		a.Exec(t, `
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO outbox (seq, at, type, subject, data)
			SELECT (SELECT COALESCE(MAX(seq), 0) FROM outbox) + i, ?, 'order.placed', 'ORDER' || i, '{}'
			FROM n`, waiting, db.Millis(a.Clock.Now()))
		before := a.Files.Steps(db.ID(a.UID()))
		dbtest.Eventually(t, "all webhooks are sent", func() bool {
			if _, err := a.Endpoints.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			return sender.accepted.Load() >= waiting && a.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE due_at IS NOT NULL`) == 0
		})
		work[i] = a.Files.Steps(db.ID(a.UID())) - before
	}
	shoptest.WantLinear(t, "queue of webhooks", work[0], work[1])
}
