package inbox

// MaskBody returns a webhook's body as staff members see it.
func MaskBody(contentType, body string) string { return maskBody(contentType, []byte(body)) }

// IsShownField reports whether staff members see the value of a webhook's field.
func IsShownField(name string) bool { return shownFields[name] }
