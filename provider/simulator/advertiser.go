package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Faults of the advertisers.
const (
	EventsDown    Fault = "events_down"    // events are answered with 503
	EventsLimited Fault = "events_limited" // events are answered with 429
	EventsRefused Fault = "events_refused" // events are refused with a reason
	EventsLost    Fault = "events_lost"    // events are received, but the response is lost
)

// Limits of the advertisers, as Meta documents them.
const (
	maxEventAge  = 7 * 24 * time.Hour
	duplicateAge = 48 * time.Hour
)

// advertisers have received events. A repetition of an event within 48 hours does not count.
type advertisers struct {
	mu       sync.Mutex
	counted  []CountedEvent       // oldest first
	lastSeen map[string]time.Time // when an event counted, by advertiser, name and ID
	requests int
}

// CountedEvent is an event that an advertiser counts.
type CountedEvent struct {
	Advertiser, Name, ID, Value, Currency string
	At                                    time.Time // of the event
	IsTest                                bool
	Body                                  string // of the request
}

// advertisersNow is the time of the advertisers.
func (s *Simulator) advertisersNow() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// CountedEvents returns the events that advertisers count, oldest first.
func (s *Simulator) CountedEvents() []CountedEvent {
	s.advertisers.mu.Lock()
	defer s.advertisers.mu.Unlock()
	return slices.Clone(s.advertisers.counted)
}

// EventRequests returns the number of requests with events.
func (s *Simulator) EventRequests() int {
	s.advertisers.mu.Lock()
	defer s.advertisers.mu.Unlock()
	return s.advertisers.requests
}

// receive counts an event, unless it is a repetition. ok is false if it is too old.
func (s *Simulator) receive(e CountedEvent) (ok bool) {
	a, now := &s.advertisers, s.advertisersNow()
	if now.Sub(e.At) > maxEventAge {
		return false
	}
	key := e.Advertiser + " " + e.Name + " " + e.ID
	a.mu.Lock()
	defer a.mu.Unlock()
	if seen, known := a.lastSeen[key]; !known || now.Sub(seen) > duplicateAge {
		a.lastSeen[key] = now
		a.counted = append(a.counted, e)
	}
	return true
}

// failEvent answers as the faults demand, and reports whether it has. refuse writes a refusal.
func (s *Simulator) failEvent(w http.ResponseWriter, refuse func(message string)) bool {
	s.advertisers.mu.Lock()
	s.advertisers.requests++
	s.advertisers.mu.Unlock()
	switch {
	case s.isOn(EventsDown):
		w.WriteHeader(http.StatusServiceUnavailable)
	case s.isOn(EventsLimited):
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	case s.isOn(EventsRefused):
		refuse("Invalid parameter")
	default:
		return false
	}
	return true
}

// readEvents returns the body of a request.
func readEvents(r *http.Request) []byte {
	raw, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // a cut one is refused
	return raw
}

func (s *Simulator) routeAdvertisers() {
	s.handle("POST /meta/{pixel}/events", s.receiveMeta)
	s.handle("POST /tiktok/event/track/", s.receiveTikTok)
}

// receiveMeta is Meta's Conversions API. It refuses tokens that are empty or "wrong".
func (s *Simulator) receiveMeta(w http.ResponseWriter, r *http.Request) {
	refuse := func(status, code int, message string) {
		writeJSON(w, status, map[string]any{"error": map[string]any{
			"message": message, "type": "OAuthException", "code": code, "fbtrace_id": newID("A"),
		}})
	}
	raw := readEvents(r)
	var in struct {
		Data []struct {
			Name   string         `json:"event_name"`
			Time   int64          `json:"event_time"`
			ID     string         `json:"event_id"`
			Source string         `json:"action_source"`
			Page   string         `json:"event_source_url"`
			Data   map[string]any `json:"user_data"`
			Custom struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"custom_data"`
		} `json:"data"`
		Token    string `json:"access_token"`
		TestCode string `json:"test_event_code"`
	}
	if s.failEvent(w, func(message string) { refuse(http.StatusBadRequest, 100, message) }) {
		return
	}
	err := json.Unmarshal(raw, &in)
	switch {
	case err != nil || len(in.Data) == 0:
		refuse(http.StatusBadRequest, 100, "Invalid parameter")
		return
	case in.Token == "" || in.Token == "wrong":
		refuse(http.StatusBadRequest, 190, "Invalid OAuth access token - Cannot parse access token "+in.Token)
		return
	}
	for _, e := range in.Data {
		if e.Name == "" || e.Source == "website" && (e.Page == "" || e.Data["client_user_agent"] == nil) || len(e.Data) == 0 {
			refuse(http.StatusBadRequest, 100, "Invalid parameter: a website's event needs its URL and the user agent")
			return
		}
		ok := s.receive(CountedEvent{
			"meta", e.Name, e.ID, e.Custom.Value.String(), e.Custom.Currency, time.Unix(e.Time, 0), in.TestCode != "", string(raw),
		})
		if !ok {
			refuse(http.StatusBadRequest, 2804003, "Event Timestamp Too Old")
			return
		}
	}
	if s.isOn(EventsLost) {
		hangUp()
	}
	writeJSON(w, http.StatusOK, map[string]any{"events_received": len(in.Data), "messages": []any{}, "fbtrace_id": newID("A")})
}

// receiveTikTok is TikTok's Events API, which refuses with the status 200.
func (s *Simulator) receiveTikTok(w http.ResponseWriter, r *http.Request) {
	answer := func(code int, message string) {
		writeJSON(w, http.StatusOK, map[string]any{"code": code, "message": message, "request_id": newID(""), "data": map[string]any{}})
	}
	raw := readEvents(r)
	if s.failEvent(w, func(message string) { answer(40002, message) }) {
		return
	}
	var in struct {
		SourceID string `json:"event_source_id"`
		TestCode string `json:"test_event_code"`
		Data     []struct {
			Name       string `json:"event"`
			Time       int64  `json:"event_time"`
			ID         string `json:"event_id"`
			Properties struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"properties"`
		} `json:"data"`
	}
	err := json.Unmarshal(raw, &in)
	token := r.Header.Get("Access-Token")
	switch {
	case token == "" || token == "wrong":
		answer(40105, "Access token is incorrect or has been revoked.")
		return
	case err != nil || len(in.Data) == 0 || in.SourceID == "":
		answer(40002, "Invalid parameter")
		return
	}
	for _, e := range in.Data {
		ok := s.receive(CountedEvent{
			"tiktok", e.Name, e.ID, e.Properties.Value.String(), e.Properties.Currency, time.Unix(e.Time, 0), in.TestCode != "", string(raw),
		})
		if !ok {
			answer(40002, "event_time is older than 7 days: "+strconv.FormatInt(e.Time, 10))
			return
		}
	}
	if s.isOn(EventsLost) {
		hangUp()
	}
	answer(0, "OK")
}
