package metrics_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/server/metrics"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/status"
)

func TestText(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1 \"next\"\\\n")
	m.Request("GET", "/a", 200, 2*time.Millisecond)
	m.Request("GET", "/a", 200, time.Minute)
	m.Request("GET", "/a", 503, 0)
	m.Commit(3, 4*time.Millisecond, false)
	m.Commit(1, time.Second, true)
	m.WebhookHandled(plugin.CourierB, inbox.VerdictApplied)
	m.AttemptMoved(status.PayGatewayA, status.AttemptSucceeded)
	m.MessageSent(sender.Refused)
	m.MailSent(sender.Accepted)
	m.Collect(func(w *metrics.Writer) { w.Gauge("mine", "My\nhelp.", 1.5, "of", "x", "to", "y") })
	text := string(m.Text())
	for _, want := range []string{
		`storefront_build_info{version="v1 \"next\"\\\n"} 1`,
		`storefront_http_requests_total{method="GET",route="/a",status="200"} 2`,
		`storefront_http_requests_total{method="GET",route="/a",status="503"} 1`,
		`storefront_http_request_duration_seconds_bucket{method="GET",route="/a",le="0.0001"} 1`,
		`storefront_http_request_duration_seconds_bucket{method="GET",route="/a",le="0.001"} 1`,
		`storefront_http_request_duration_seconds_bucket{method="GET",route="/a",le="0.0025"} 2`,
		`storefront_http_request_duration_seconds_bucket{method="GET",route="/a",le="25"} 2`,
		`storefront_http_request_duration_seconds_bucket{method="GET",route="/a",le="+Inf"} 3`,
		`storefront_http_request_duration_seconds_sum{method="GET",route="/a"} 60.002`,
		`storefront_http_request_duration_seconds_count{method="GET",route="/a"} 3`,
		`storefront_commit_updates_bucket{le="2"} 0`,
		`storefront_commit_updates_bucket{le="4"} 1`,
		`storefront_commit_updates_sum 3`,
		`storefront_commit_duration_seconds_count 1`,
		`storefront_commit_failed_duration_seconds_count 1`,
		`storefront_provider_calls_total{provider="courier_b",verdict="applied"} 1`,
		`storefront_payment_attempts_total{gateway="gateway_a",status="succeeded"} 1`,
		`storefront_sms_total{fate="refused"} 1`,
		`storefront_email_total{fate="sent"} 1`,
		`# HELP mine My\nhelp.`,
		`mine{of="x",to="y"} 1.5`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestMetrics_Concurrent(t *testing.T) {
	t.Parallel()
	m := metrics.New("")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for status := range 500 {
				m.Request("GET", "/a", 100+status, time.Millisecond)
			}
		})
		wg.Go(func() { m.Text() })
	}
	wg.Wait()
	text := string(m.Text())
	for _, want := range []string{`route="/a",status="599"} 8`, `_count{method="GET",route="/a"} 4000`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line with %s", want)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	m := metrics.New("")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Request("GET", "/api/v1/products", 200, 30*time.Microsecond)
		}
	})
}
