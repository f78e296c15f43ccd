package sms

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a configuration, and what to do about it. It never quotes
// a secret.
type Fault struct {
	Field   string // as in the JSON form, such as body.params.to
	Message string
}

// Faults are all that is wrong with a configuration.
type Faults []Fault

// Error has one fault a line.
func (f Faults) Error() string {
	var b strings.Builder
	b.WriteString("the SMS configuration can not be used:")
	for _, fault := range f {
		fmt.Fprintf(&b, "\n  %s: %s", fault.Field, fault.Message)
	}
	return b.String()
}

func (f *Faults) add(field, format string, args ...any) {
	*f = append(*f, Fault{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err gives nil where there are none.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
