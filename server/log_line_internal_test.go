package server

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"
)

// The fast path writes what slog writes.
func TestRequestLine_MatchesSlog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 5, 0, 120_000_000, time.FixedZone("", 6*3600))
	for _, line := range []requestLine{
		{time: at, requestID: "A.b_9-", method: "GET", route: "/api/v1/products/{id}", status: 200,
			duration: 1234567, bytes: 32903, client: "2001:db8::/64",
			tenant: "demo-shop", sampled: 100},
		{time: at.UTC().Truncate(time.Second), level: slog.LevelError, requestID: "A", method: "other",
			route: "unmatched", status: 404, suppressed: 103_980},
		{time: at.Add(1), requestID: "A", method: "GET", route: "/demo/images/:name", status: 499, duration: 999, bytes: 1 << 40},
		{time: at, requestID: "A", method: "POST", route: "", status: 0, duration: 90 * time.Second},
		{time: at, requestID: "A", method: "POST", route: "/graphql", status: 503, duration: time.Millisecond, cause: "it took \"too\" long"},
	} {
		var long, short bytes.Buffer
		if err := slog.NewJSONHandler(&long, nil).Handle(context.Background(), line.record()); err != nil {
			t.Fatal(err)
		}
		log := NewLogWriter(&short)
		line.write(NewJSONLog(log, nil))
		log.Flush()
		if short.String() != long.String() {
			t.Errorf("got  %swant %s", short.String(), long.String())
		}
	}
}
