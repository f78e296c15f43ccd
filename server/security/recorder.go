package security

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Event is a kind of event. Its text is a value of the log and of a metric.
type Event string

// The events.
const (
	SignInFailed    Event = "sign_in_failed"   // a wrong password or code
	Throttled       Event = "throttled"        // too many failures of an account or a client
	KeyRejected     Event = "api_key_rejected" // a wrong, revoked or expired API key
	WebhookRejected Event = "webhook_rejected" // a webhook that failed authentication
	LimitReached    Event = "limit_reached"    // a client's limit of rate, memory or size
	StaffAction     Event = "staff_action"     // an operation of a staff member or with an API key
)

// Events returns all events.
func Events() []Event {
	return []Event{SignInFailed, Throttled, KeyRejected, WebhookRejected, LimitReached, StaffAction}
}

// Addresses selects the form of client addresses in the log.
type Addresses string

// The forms of client addresses.
const (
	AddressesPlain  Addresses = "plain"  // plain, for programs such as fail2ban
	AddressesHashed Addresses = "hashed" // a keyed hash, the same until the process ends
	AddressesOff    Addresses = "off"    // omitted
)

// ParseAddresses returns the Addresses of a text.
func ParseAddresses(text string) (Addresses, error) {
	switch a := Addresses(text); a {
	case AddressesPlain, AddressesHashed, AddressesOff:
		return a, nil
	}
	return "", fmt.Errorf("must be %s, %s or %s", AddressesPlain, AddressesHashed, AddressesOff)
}

// Config configures a [Recorder]. Logger must be set.
type Config struct {
	Logger    *slog.Logger
	Addresses Addresses        // "" means AddressesPlain
	Now       func() time.Time // nil means time.Now
}

// Recorder records security events. It is safe for concurrent use.
type Recorder struct {
	cfg Config
	key [32]byte // of hashed addresses

	counts     sync.Map // of Event: *atomic.Uint64
	suppressed atomic.Uint64
	sampler    sampler
	offenders  offenders
}

// NewRecorder returns a Recorder.
func NewRecorder(cfg Config) *Recorder {
	if cfg.Addresses == "" {
		cfg.Addresses = AddressesPlain
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	r := &Recorder{cfg: cfg, sampler: newSampler()}
	rand.Read(r.key[:])
	for _, event := range Events() {
		r.counts.Store(event, new(atomic.Uint64))
	}
	return r
}

// Entry is one event.
type Entry struct {
	Event Event
	// Client is the address of the connection, or of the client behind a trusted proxy; "" if unknown.
	Client string
	// Forwarded is the buyer's address that a shop's own server passed on; "" if there is none. It is
	// logged instead of Client under another name, because banning Client would ban that server.
	Forwarded                string
	Tenant, RequestID, Route string // of the request; "" if unknown
	Detail                   string // an error code or the name of an action
	APIKey, StaffMember      string // ID of the API key or of the staff member of an action; "" if there is none
	Suppressed               uint64 // see [Recorder.Sample]
}

// Count counts an event without logging it.
func (r *Recorder) Count(e Entry) {
	if n, ok := r.counts.Load(e.Event); ok {
		n.(*atomic.Uint64).Add(1)
	}
	if client := r.Shown(e.client()); client != "" && e.Event != StaffAction {
		r.offenders.add(client, r.cfg.Now())
	}
}

func (e *Entry) client() string {
	if e.Forwarded != "" {
		return e.Forwarded
	}
	return e.Client
}

// Log writes the line of an event.
func (r *Recorder) Log(ctx context.Context, e Entry) {
	level := slog.LevelWarn
	if e.Event == StaffAction {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{slog.String("event", string(e.Event))} // the order must match the filter for fail2ban
	if client := r.Shown(e.client()); client != "" {
		name := "client"
		if e.Forwarded != "" {
			name = "forwardedClient"
		}
		attrs = append(attrs, slog.String(name, client))
	}
	for _, a := range []slog.Attr{
		slog.String("tenant", e.Tenant), slog.String("route", e.Route), slog.String("requestId", e.RequestID), slog.String("detail", e.Detail),
		slog.String("apiKey", e.APIKey), slog.String("staffMember", e.StaffMember),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	if e.Suppressed > 0 {
		attrs = append(attrs, slog.Uint64("suppressed", e.Suppressed))
	}
	r.cfg.Logger.LogAttrs(ctx, level, "security", attrs...)
}

// Shown returns an address in the configured form, or "" if addresses are not written.
func (r *Recorder) Shown(client string) string {
	switch {
	case client == "" || r.cfg.Addresses == AddressesOff:
		return ""
	case r.cfg.Addresses == AddressesHashed:
		mac := hmac.New(sha256.New, r.key[:])
		mac.Write([]byte(client))
		return hex.EncodeToString(mac.Sum(nil)[:8])
	}
	return client
}

// Sample reports whether the lines of a refused request may be logged, and the number of this
// client's refused requests without a line since its last one.
func (r *Recorder) Sample(client string) (suppressed uint64, ok bool) {
	suppressed, ok = r.sampler.allow(client, r.cfg.Now())
	if !ok {
		r.suppressed.Add(1)
	}
	return suppressed, ok
}

// Stats are the counts since the start.
type Stats struct {
	Events     map[Event]uint64
	Suppressed uint64     // refused requests without a log line
	Offenders  []Offender // the clients with most recent events, most first
}

// Stats returns the present counts.
func (r *Recorder) Stats() Stats {
	stats := Stats{Events: map[Event]uint64{}, Suppressed: r.suppressed.Load(), Offenders: r.offenders.top(r.cfg.Now())}
	r.counts.Range(func(event, n any) bool {
		stats.Events[event.(Event)] = n.(*atomic.Uint64).Load()
		return true
	})
	return stats
}
