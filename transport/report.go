package transport

import "storefront/shop/access"

// Action is a use case that succeeded for a staff member or an API key.
type Action struct {
	Name  string
	Actor access.Actor
}

// Reporter is a response writer that records security events and cached responses.
type Reporter interface {
	// ReportFailure is called with each error in a response.
	ReportFailure(f *Failure)
	// ReportAction is called with each action of a request.
	ReportAction(a Action)
	// ReportPrepared is called for a response from the cache.
	ReportPrepared()
}

// ReportPrepared reports that w responds from the cache, if w is a [Reporter].
func ReportPrepared(w any) {
	if r, ok := w.(Reporter); ok {
		r.ReportPrepared()
	}
}

// ReportFailure reports an error in the response of w, if w is a [Reporter].
func ReportFailure(w any, f *Failure) {
	if r, ok := w.(Reporter); ok {
		r.ReportFailure(f)
	}
}

// ReportAction reports an action that w responds to, if w is a [Reporter].
func ReportAction(w any, a Action) {
	if r, ok := w.(Reporter); ok {
		r.ReportAction(a)
	}
}
