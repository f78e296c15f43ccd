package transport

// Reporter is a response writer that records security events.
type Reporter interface {
	// ReportFailure is called with each error in a response.
	ReportFailure(f *Failure)
	// ReportAction is called with the name of each change that was made with an API key.
	ReportAction(name string)
}

// ReportFailure reports an error in the response of w, if w is a [Reporter].
func ReportFailure(w any, f *Failure) {
	if r, ok := w.(Reporter); ok {
		r.ReportFailure(f)
	}
}

// ReportAction reports a change with an API key that w responds to, if w is a [Reporter].
func ReportAction(w any, name string) {
	if r, ok := w.(Reporter); ok {
		r.ReportAction(name)
	}
}
