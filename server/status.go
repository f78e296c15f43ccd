package server

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"storefront/prepared"
	"storefront/shop/incident"
	"storefront/shop/locale"
	"storefront/site/orderpage"
	"storefront/tenants"
	"storefront/transport"
)

// Paths of the state of the server, at each host that belongs to no shop.
const (
	statusPath     = "/status"
	statusJSONPath = "/status.json"
)

const (
	// statusAge is the time for which the status page is used.
	statusAge = 5 * time.Second
	// statusPatience limits the computation of the page.
	statusPatience = 5 * time.Second
	statusCaching  = "public, max-age=5"
)

//go:embed status.html
var statusHTML string

var statusTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("status").Parse(statusHTML)) })

// statusCache has the status page in all of its forms. Readers cost a lookup: one of them computes
// the page, and the others receive the previous one.
type statusCache struct {
	mu      sync.Mutex // held by the reader that computes the page
	current atomic.Pointer[statusForms]
}

// statusForms are the forms of the status page.
type statusForms struct {
	at   time.Time
	json *prepared.Response
	html map[locale.Language]*prepared.Response
}

// routeStatus adds the status page.
func (s *Server) routeStatus() {
	s.routePublic(http.MethodGet, statusPath, http.HandlerFunc(s.serveStatus))
	s.routePublic(http.MethodGet, statusJSONPath, http.HandlerFunc(s.serveStatus))
}

// isStatus reports whether a request is for the status page, at a host that belongs to no shop.
func (s *Server) isStatus(r *http.Request) bool {
	if r.URL.Path != statusPath && r.URL.Path != statusJSONPath {
		return false
	}
	_, owned := s.siteOwner(requestHost(r))
	return !owned
}

func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	x := w.(*exchange)
	if !s.isStatus(r) {
		x.route = "unmatched"
		x.failUnmatched(r)
		return
	}
	forms, err := s.statusForms(&x.deadline)
	if err != nil {
		x.fail(err)
		return
	}
	h := x.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	accept := r.Header.Get("Accept")
	if r.URL.Path == statusJSONPath || strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html") {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Vary", "Accept")
		forms.json.Send(x, r, http.StatusOK, statusCaching)
		return
	}
	h.Set("Vary", "Accept, Accept-Language")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	forms.html[orderpage.Language(r)].Send(x, r, http.StatusOK, statusCaching)
}

// statusForms returns the status page. The state is computed at most once in statusAge.
func (s *Server) statusForms(ctx context.Context) (*statusForms, error) {
	isFresh := func(f *statusForms) bool { return f != nil && time.Since(f.at) < statusAge }
	current := s.status.current.Load()
	switch {
	case isFresh(current):
		return current, nil
	case current == nil:
		s.status.mu.Lock()
	case !s.status.mu.TryLock():
		return current, nil
	}
	defer s.status.mu.Unlock()
	if current = s.status.current.Load(); isFresh(current) {
		return current, nil
	}
	// A reader who leaves must not spoil the page for the others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statusPatience)
	defer cancel()
	built, err := s.newStatusForms(ctx)
	if err == nil {
		s.status.current.Store(built)
	}
	return built, err
}

func (s *Server) newStatusForms(ctx context.Context) (*statusForms, error) {
	status := s.cfg.Tenants.PublicStatus(ctx, s.sites != nil)
	branding, err := s.cfg.Tenants.Branding(ctx)
	if err != nil { // as the incidents: the page has less then
		s.cfg.Logger.Warn("branding not read", "error", err)
	}
	body, err := transport.MarshalBody(status)
	if err != nil {
		return nil, fmt.Errorf("encode status: %w", err)
	}
	forms := &statusForms{at: time.Now(), json: prepared.NewResponse("", "application/json", body), html: map[locale.Language]*prepared.Response{}}
	for _, language := range locale.Languages() {
		var html bytes.Buffer
		if err := statusTemplate().Execute(&html, newStatusView(status, language, branding.Name)); err != nil {
			return nil, fmt.Errorf("status page: %w", err)
		}
		forms.html[language] = prepared.NewResponse("", "text/html; charset=utf-8", html.Bytes())
	}
	return forms, nil
}

// statusView is the content of the status page in one language.
type statusView struct {
	Words           *statusWords
	Lang, OtherLang locale.Language
	Brand, Overall  string
	State           tenants.ComponentState
	At              statusTime
	Unread          bool
	Components      []statusComponent
	Open, Past      []statusIncident
}

type statusTime struct{ Stamp, Text string }

type statusComponent struct {
	Name, StateText string
	State           tenants.ComponentState
}

type statusIncident struct {
	Title, Period, Affected string
	Lang                    locale.Language // of the title
	Updates                 []statusUpdate
}

type statusUpdate struct {
	State, Text string
	Lang        locale.Language // of the text
	At          statusTime
}

func newStatusView(status *tenants.PublicStatus, language locale.Language, brand string) *statusView {
	words := statusWordsOf[language]
	v := &statusView{
		Words: words, Lang: language, OtherLang: locale.English, Brand: brand, State: status.State, Overall: words.Overall[status.State],
		At: newStatusTime(language, status.At), Unread: status.IncidentsUnread,
	}
	if language == locale.English {
		v.OtherLang = locale.Bangla
	}
	isOpen := false
	for i := range status.Incidents {
		shown := newStatusIncident(&status.Incidents[i], words, language)
		if status.Incidents[i].IsOpen() {
			v.Open, isOpen = append(v.Open, shown), true
		} else {
			v.Past = append(v.Past, shown)
		}
	}
	if isOpen && status.State == tenants.ComponentOperational { // of a part that is not in the list
		v.State, v.Overall = tenants.ComponentDegraded, words.Overall[tenants.ComponentDegraded]
	}
	for _, c := range status.Components {
		v.Components = append(v.Components, statusComponent{words.Component[c.Name], words.State[c.State], c.State})
	}
	return v
}

func newStatusIncident(i *incident.Incident, words *statusWords, language locale.Language) statusIncident {
	shown := statusIncident{Title: i.Title, Lang: writtenIn(i.Title), Period: newStatusTime(language, i.StartedAt).Text}
	if i.ResolvedAt != nil {
		shown.Period += " – " + newStatusTime(language, *i.ResolvedAt).Text
	}
	var names []string
	for _, c := range i.Components {
		names = append(names, words.Component[c])
	}
	shown.Affected = strings.Join(names, ", ")
	for _, u := range i.Updates {
		shown.Updates = append(shown.Updates, statusUpdate{words.Incident[u.State], u.Text, writtenIn(u.Text), newStatusTime(language, u.At)})
	}
	return shown
}

// writtenIn returns the language of an operator's text, which is not translated.
func writtenIn(text string) locale.Language {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bengali, r) }) {
		return locale.Bangla
	}
	return locale.English
}

// newStatusTime returns a time in the time zone of the server.
func newStatusTime(language locale.Language, at time.Time) statusTime {
	local := at.Local()
	zone := strings.TrimSuffix(local.Format("-07:00"), "+00:00")
	text := orderpage.DayOf(language, local) + ", " + language.Digits(local.Format("15:04")) + " UTC" + language.Digits(zone)
	return statusTime{at.UTC().Format(time.RFC3339), text}
}
