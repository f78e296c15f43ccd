package server

import (
	"net/http"

	"storefront/server/security"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/transport"
)

// SecurityStats returns the counts of security events.
func (s *Server) SecurityStats() security.Stats { return s.security.Stats() }

// reported is what a response contains besides its status that may be a security event.
type reported struct {
	event  security.Event // "" means none
	detail string
}

// ReportFailure implements [transport.Reporter].
func (x *exchange) ReportFailure(f *transport.Failure) {
	switch f.Code {
	case fault.CodeInvalidCredentials, fault.CodeOTPInvalid, fault.CodePasswordResetRequired:
		x.report(security.SignInFailed, string(f.Code))
	case fault.CodeUnauthenticated:
		if shop.IsAPIKey(x.caller.Bearer) || firstOf(x.request.Header, headerAdminToken) != "" {
			x.report(security.KeyRejected, string(f.Code))
		}
	case fault.CodeRateLimited:
		event := security.Throttled
		if x.overRate {
			event = security.LimitReached
		}
		x.report(event, string(f.Code))
	case fault.CodeTooLarge, fault.CodeTooComplex, fault.CodeTooManyOperations:
		x.report(security.LimitReached, string(f.Code))
	case fault.CodeUnavailable:
		if f.Cause == nil { // the budget of memory, not a failure
			x.report(security.LimitReached, string(f.Code))
		}
	}
}

// ReportAction implements [transport.Reporter].
func (x *exchange) ReportAction(name string) { x.report(security.StaffAction, name) }

// report records the first event of a request. A failure replaces an action.
func (x *exchange) report(event security.Event, detail string) {
	if x.reported.event == "" || x.reported.event == security.StaffAction {
		x.reported = reported{event, detail}
	}
}

// recordSecurity counts and logs the request's security event. It reports whether the line of the request
// may be logged, and how many refused requests of its client had none.
func (s *Server) recordSecurity(x *exchange, status int) (suppressed uint64, logged bool) {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError || status == http.StatusServiceUnavailable
	if !refused && x.reported.event == "" {
		return 0, true
	}
	client := clientAddress(x.request, s.cfg.TrustedProxies)
	e := security.Entry{
		Event: x.reported.event, Detail: x.reported.detail, Client: client, RequestID: x.requestID, Route: x.route,
	}
	if x.forwarder != "" {
		e.Forwarded = x.caller.Client
	}
	if x.shop != nil {
		e.Tenant = x.shop.UID()
	}
	if e.Event != "" {
		s.security.Count(e)
	}
	if logged = true; e.Event != security.StaffAction {
		e.Suppressed, logged = s.security.Sample(client)
	}
	if logged && e.Event != "" {
		s.security.Log(x.request.Context(), e)
		return 0, true // the line of the event has the number
	}
	return e.Suppressed, logged
}
