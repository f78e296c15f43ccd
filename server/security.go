package server

import (
	"net/http"

	"storefront/server/security"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/transport"
)

// SecurityStats returns the counts of security events.
func (s *Server) SecurityStats() security.Stats { return s.security.Stats() }

// reported is the part of a response besides its status that may be a security event.
type reported struct {
	event   security.Event // the first failure; "" if there is none
	detail  string
	actions []transport.Action // of staff members and API keys
}

// ReportFailure implements [transport.Reporter].
func (x *exchange) ReportFailure(f *transport.Failure) {
	switch f.Code {
	case fault.CodeInvalidCredentials, fault.CodeOTPInvalid, fault.CodePasswordResetRequired:
		x.report(security.SignInFailed, string(f.Code))
	case fault.CodeUnauthenticated:
		if staff.IsAPIKey(x.caller.Bearer) || serverKey(x.request.Header) != "" {
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
func (x *exchange) ReportAction(a transport.Action) {
	x.reported.actions = append(x.reported.actions, a)
}

// ReportPrepared implements [transport.Reporter].
func (x *exchange) ReportPrepared() { x.prepared = true }

// report records the first failure of a request.
func (x *exchange) report(event security.Event, detail string) {
	if x.reported.event == "" {
		x.reported.event, x.reported.detail = event, detail
	}
}

// recordSecurity counts and logs the request's security events: each action, and its first failure.
// It reports whether the line of the request may be logged, and the number of refused requests of
// its client without one.
func (s *Server) recordSecurity(x *exchange, status int) (suppressed uint64, logged bool) {
	refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError || status == http.StatusServiceUnavailable
	if !refused && x.reported.event == "" && len(x.reported.actions) == 0 {
		return 0, true
	}
	e := security.Entry{Client: clientAddress(x.request, s.cfg.TrustedProxies), RequestID: x.requestID, Route: x.route}
	if x.forwarder != "" {
		e.Forwarded = x.caller.Client
	}
	if x.shop != nil {
		e.Tenant = x.shop.UID()
	}
	for _, a := range x.reported.actions { // never sampled
		done := e
		done.Event, done.Detail = security.StaffAction, a.Name
		if a.Actor.Kind == access.ActorKey {
			done.APIKey = a.Actor.ID
		} else {
			done.StaffMember = a.Actor.ID
		}
		s.security.Count(done)
		s.security.Log(x.request.Context(), done)
	}
	if e.Event, e.Detail = x.reported.event, x.reported.detail; e.Event != "" {
		s.security.Count(e)
	} else if !refused {
		return 0, true
	}
	e.Suppressed, logged = s.security.Sample(e.Client)
	if logged && e.Event != "" {
		s.security.Log(x.request.Context(), e)
		return 0, true // the line of the event has the number
	}
	return e.Suppressed, logged
}
