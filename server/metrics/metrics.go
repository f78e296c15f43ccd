package metrics

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"storefront/shop"
)

// Metrics counts for one process. It is safe for concurrent use. Make one with [New].
type Metrics struct {
	version  string
	requests series[endpoint, endpointStats]

	webhooks series[webhookLabels, counter]
	attempts series[attemptLabels, counter]
	messages series[shop.SMSOutcome, counter]

	commits, failedCommits *histogram
	updates                *histogram

	mu      sync.Mutex
	sources []func(*Writer)
}

type endpoint struct{ route, method string }

// endpointStats are those of one endpoint.
type endpointStats struct {
	durations *histogram
	statuses  series[int, counter]
}

type webhookLabels struct {
	provider shop.Provider
	verdict  shop.Verdict
}

type attemptLabels struct {
	method shop.PaymentMethod
	status shop.AttemptStatus
}

// New gives metrics of a program of that version that has done nothing yet.
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
	m.webhooks.new, m.attempts.new, m.messages.new = newCounter, newCounter, newCounter
	m.initSeries()
	return m
}

// initSeries makes the series whose labels are known at 0: a rate needs the value before the first event.
func (m *Metrics) initSeries() {
	for _, provider := range shop.Providers() {
		for _, verdict := range shop.Verdicts() {
			m.webhooks.get(webhookLabels{provider, verdict})
		}
	}
	for _, method := range []shop.PaymentMethod{shop.PayGatewayA, shop.PayGatewayB} {
		for _, status := range shop.AttemptStatuses() {
			m.attempts.get(attemptLabels{method, status})
		}
	}
	for _, fate := range shop.SMSOutcomes() {
		m.messages.get(fate)
	}
}

// Request counts one answered request. route is a pattern, never an address.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	a := m.requests.get(endpoint{route, method})
	a.durations.observeDuration(took)
	a.statuses.get(status).Add(1)
}

// Commit counts one commit of a shop's file with the updates that shared it.
func (m *Metrics) Commit(updates int, took time.Duration, failed bool) {
	if failed {
		m.failedCommits.observeDuration(took)
		return
	}
	m.commits.observeDuration(took)
	m.updates.observeSize(updates)
}

// WebhookHandled, AttemptMoved and MessageSent make Metrics a [shop.Observer].
func (m *Metrics) WebhookHandled(from shop.Provider, verdict shop.Verdict) {
	m.webhooks.get(webhookLabels{from, verdict}).Add(1)
}

// AttemptMoved counts tries to pay by the state that they come to.
func (m *Metrics) AttemptMoved(method shop.PaymentMethod, to shop.AttemptStatus) {
	m.attempts.get(attemptLabels{method, to}).Add(1)
}

// MessageSent counts text messages by what became of them.
func (m *Metrics) MessageSent(fate shop.SMSOutcome) { m.messages.get(fate).Add(1) }

// Collect has source asked at each scrape, for what is known without counting. It must not wait.
func (m *Metrics) Collect(source func(*Writer)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources = append(m.sources, source)
}

// Text gives all metrics of this moment in Prometheus's text format.
func (m *Metrics) Text() []byte {
	w := &Writer{}
	w.Gauge("storefront_build_info", "The program's version, as a label.", 1, "version", m.version)
	m.writeRequests(w)
	m.writeEvents(w)
	w.histogram("storefront_commit_duration_seconds", "How long commits to shops' files took, with their fsync.", m.commits)
	w.histogram("storefront_commit_failed_duration_seconds", "How long commits took that failed: a full disk, a broken one.", m.failedCommits)
	w.histogram("storefront_commit_updates", "How many updates shared a commit.", m.updates)
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
			w.Counter("storefront_http_requests_total", "Requests answered, by route and status; 499: the client did not wait.",
				float64(statuses[status].Load()), "method", e.method, "route", e.route, "status", strconv.Itoa(status))
		}
	}
	for _, e := range endpoints {
		w.histogram("storefront_http_request_duration_seconds", "How long requests took, by route.",
			all[e].durations, "method", e.method, "route", e.route)
	}
}

func (m *Metrics) writeEvents(w *Writer) {
	calls := m.webhooks.snapshot()
	for _, l := range slices.SortedFunc(maps.Keys(calls), func(a, b webhookLabels) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.verdict, b.verdict))
	}) {
		w.Counter("storefront_provider_calls_total", "Calls of couriers and gateways by verdict; refused: they could not prove themselves.",
			float64(calls[l].Load()), "provider", string(l.provider), "verdict", string(l.verdict))
	}
	payments := m.attempts.snapshot()
	for _, l := range slices.SortedFunc(maps.Keys(payments), func(a, b attemptLabels) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}) {
		w.Counter("storefront_payment_attempts_total", "Tries to pay by the state that they came to.",
			float64(payments[l].Load()), "gateway", string(l.method), "status", string(l.status))
	}
	messages := m.messages.snapshot()
	for _, fate := range slices.Sorted(maps.Keys(messages)) {
		w.Counter("storefront_sms_total", "Text messages by what became of them.", float64(messages[fate].Load()), "fate", string(fate))
	}
}
