package sms

import (
	"fmt"
	"strings"
)

// Fault is one problem of a configuration and its remedy. It never quotes a secret.
type Fault struct {
	Field   string // as in the JSON form, such as body.params.to
	Message string
	Missing bool // it has no value, and must have one
}

// Faults lists all problems of a configuration.
type Faults []Fault

// Error returns a heading and one line for each fault.
func (f Faults) Error() string {
	var b strings.Builder
	b.WriteString("invalid SMS configuration:")
	for _, fault := range f {
		fmt.Fprintf(&b, "\n  %s: %s", fault.Field, fault.Message)
	}
	return b.String()
}

func (f *Faults) add(field, format string, args ...any) {
	*f = append(*f, Fault{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err returns f, or nil if it is empty.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
