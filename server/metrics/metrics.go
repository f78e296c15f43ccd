package metrics

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/status"
)

// Metrics holds the metrics of one process. It is safe for concurrent use. Create one with [New].
type Metrics struct {
	version  string
	requests series[endpoint, endpointStats]

	webhooks series[webhookLabels, counter]
	attempts series[attemptLabels, counter]
	messages series[sender.Outcome, counter]
	mails    series[sender.Outcome, counter]

	commits, failedCommits *histogram
	updates                *histogram

	mu      sync.Mutex
	sources []func(*Writer)
}

type endpoint struct{ route, method string }

// endpointStats are the metrics of one endpoint.
type endpointStats struct {
	durations *histogram
	statuses  series[int, counter]
}

type webhookLabels struct {
	provider plugin.Provider
	verdict  inbox.Verdict
}

type attemptLabels struct {
	method status.PaymentMethod
	status status.Attempt
}

// New returns metrics at zero. version is the program's.
func New(version string) *Metrics {
	m := &Metrics{
		version: version, commits: newDurations(), failedCommits: newDurations(),
		updates: newSizes(1, 2, 4, 8, 16, 32, 64),
	}
	m.requests.new = func() *endpointStats {
		a := &endpointStats{durations: newDurations()}
		a.statuses.new = newCounter
		return a
	}
	m.webhooks.new, m.attempts.new, m.messages.new, m.mails.new = newCounter, newCounter, newCounter, newCounter
	m.initSeries()
	return m
}

// initSeries creates the series with known labels, at 0: a rate needs a value before the first
// event.
func (m *Metrics) initSeries() {
	for _, provider := range plugin.Providers() {
		for _, verdict := range inbox.Verdicts() {
			m.webhooks.get(webhookLabels{provider, verdict})
		}
	}
	for _, method := range []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB} {
		for _, status := range status.Attempts() {
			m.attempts.get(attemptLabels{method, status})
		}
	}
	for _, outcome := range sender.Outcomes() {
		m.messages.get(outcome)
		m.mails.get(outcome)
	}
}

// Request counts one request and its duration. route is a pattern, never a path.
func (m *Metrics) Request(method, route string, status int, duration time.Duration) {
	a := m.requests.get(endpoint{route, method})
	a.durations.observeDuration(duration)
	a.statuses.get(status).Add(1)
}

// Commit counts one commit to a shop's file and the number of updates that shared it.
func (m *Metrics) Commit(updates int, duration time.Duration, failed bool) {
	if failed {
		m.failedCommits.observeDuration(duration)
		return
	}
	m.commits.observeDuration(duration)
	m.updates.observeSize(updates)
}

// WebhookHandled counts one webhook by its verdict. It is part of [inbox.Observer].
func (m *Metrics) WebhookHandled(from plugin.Provider, verdict inbox.Verdict) {
	m.webhooks.get(webhookLabels{from, verdict}).Add(1)
}

// AttemptMoved counts one payment attempt by its new status.
func (m *Metrics) AttemptMoved(method status.PaymentMethod, to status.Attempt) {
	m.attempts.get(attemptLabels{method, to}).Add(1)
}

// MessageSent counts one text message by its outcome.
func (m *Metrics) MessageSent(outcome sender.Outcome) { m.messages.get(outcome).Add(1) }

// MailSent counts one e-mail by its outcome.
func (m *Metrics) MailSent(outcome sender.Outcome) { m.mails.get(outcome).Add(1) }

// Collect registers a source that is called at each scrape, for values that need no counting. It
// must not block.
func (m *Metrics) Collect(source func(*Writer)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources = append(m.sources, source)
}

// Text returns the present values in Prometheus's text format.
func (m *Metrics) Text() []byte {
	w := &Writer{}
	w.Gauge("storefront_build_info", "The program's version, as a label.", 1, "version", m.version)
	m.writeRequests(w)
	m.writeEvents(w)
	w.histogram("storefront_commit_duration_seconds", "Duration of commits to shops' files, fsync included.", m.commits)
	w.histogram("storefront_commit_failed_duration_seconds", "Duration of commits that failed, on a full or broken disk for example.",
		m.failedCommits)
	w.histogram("storefront_commit_updates", "Updates per commit.", m.updates)
	m.mu.Lock()
	sources := slices.Clone(m.sources)
	m.mu.Unlock()
	for _, source := range sources {
		source(w)
	}
	writeRuntime(w)
	writeProcess(w)
	return bytes.Clone(w.text.Bytes())
}

func (m *Metrics) writeRequests(w *Writer) {
	all := m.requests.snapshot()
	endpoints := slices.SortedFunc(maps.Keys(all), func(a, b endpoint) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method))
	})
	for _, e := range endpoints {
		statuses := all[e].statuses.snapshot()
		for _, status := range slices.Sorted(maps.Keys(statuses)) {
			w.Counter("storefront_http_requests_total", "Requests by route and status; 499: the client disconnected.",
				float64(statuses[status].Load()), "method", e.method, "route", e.route, "status", strconv.Itoa(status))
		}
	}
	for _, e := range endpoints {
		w.histogram("storefront_http_request_duration_seconds", "Duration of requests by route.",
			all[e].durations, "method", e.method, "route", e.route)
	}
}

func (m *Metrics) writeEvents(w *Writer) {
	webhooks := m.webhooks.snapshot()
	for _, l := range slices.SortedFunc(maps.Keys(webhooks), func(a, b webhookLabels) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.verdict, b.verdict))
	}) {
		w.Counter("storefront_provider_calls_total", "Webhooks of couriers and gateways by verdict; refused: not authentic.",
			float64(webhooks[l].Load()), "provider", string(l.provider), "verdict", string(l.verdict))
	}
	attempts := m.attempts.snapshot()
	for _, l := range slices.SortedFunc(maps.Keys(attempts), func(a, b attemptLabels) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}) {
		w.Counter("storefront_payment_attempts_total", "Payment attempts by the status that they reached.",
			float64(attempts[l].Load()), "gateway", string(l.method), "status", string(l.status))
	}
	messages := m.messages.snapshot()
	for _, outcome := range slices.Sorted(maps.Keys(messages)) {
		w.Counter("storefront_sms_total", "Text messages by outcome.", float64(messages[outcome].Load()), "fate", string(outcome))
	}
	mails := m.mails.snapshot()
	for _, outcome := range slices.Sorted(maps.Keys(mails)) {
		w.Counter("storefront_email_total", "E-mails by outcome.", float64(mails[outcome].Load()), "fate", string(outcome))
	}
}
