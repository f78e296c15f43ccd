package fault

import (
	"errors"
	"fmt"
)

// Kind groups codes by what the one who called can do about them. A transport turns a kind into
// its own status.
type Kind int

// The kinds of error.
const (
	KindInternal        Kind = iota // a fault of ours: nothing the caller can do
	KindMalformed                   // the request could not be read at all
	KindInvalid                     // the request was read and breaks a rule
	KindUnauthenticated             // no proof, or no good proof, of who calls
	KindForbidden                   // known, and not allowed
	KindNotFound                    // there is none, or none for this caller
	KindConflict                    // the state of the shop does not allow it now
	KindTooMany                     // too often: wait
	KindUnavailable                 // a provider is out of reach
	KindTooLarge                    // the request is larger than the limit
	KindUnsupported                 // a content type that is not read here
	KindMethod                      // the path knows other methods
)

// Code names one rule or fault, in words for programs. The same code means the same on every transport.
type Code string

// CodeInfo says what a code means.
type CodeInfo struct {
	Code    Code
	Kind    Kind
	Meaning string // for the reference: when it comes back and what to do
}

// Error is the one error type of the domain. Message and Fields are for the one who called;
// Err is for the log only.
type Error struct {
	Code    Code
	Message string         // a sentence that says what to do, without personal data or secrets
	Fields  []FieldError   // which inputs, where there are any
	Details map[string]any // facts for programs, such as the new figures of a changed price
	Err     error          // the cause, never shown to the caller
	// RetryAfter is how many seconds to wait, with KindTooMany and KindUnavailable; 0: not known.
	RetryAfter int
}

// FieldError names one input that breaks a rule.
type FieldError struct {
	Field   string `json:"field" doc:"Path of the input, such as items[0].quantity"`
	Code    Code   `json:"code" doc:"The rule that it breaks"`
	Message string `json:"message" doc:"What to do"`
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Kind gives the kind of the error's code.
func (e *Error) Kind() Kind { return e.Code.Kind() }

// HasCode reports whether err carries code.
func HasCode(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// InputError is what a transport gives for inputs that it can not hand to a use case. A transport
// that can not tell which input it is leaves Field empty.
// Codes: unknown_field where that is all that is wrong, else validation_failed.
func InputError(fields ...FieldError) *Error {
	e := &Error{Code: CodeUnknownField, Message: fields[0].Message}
	if name := fields[0].Field; name != "" {
		e.Message = "Check the input " + name + ". " + e.Message
	}
	for _, f := range fields {
		if f.Code != CodeUnknownField {
			e.Code = CodeValidationFailed
		}
		if f.Field != "" {
			e.Fields = append(e.Fields, f)
		}
	}
	return e
}

// MissingField names an input that has to be sent.
func MissingField(field string) FieldError {
	return FieldError{Field: field, Code: CodeRequired, Message: "It is missing: send it."}
}

// UnknownField names an input that there is not.
func UnknownField(field string) FieldError {
	return FieldError{Field: field, Code: CodeUnknownField, Message: "There is no such field: leave it out."}
}

func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// invalid collects what is wrong with an input, so that a caller hears of everything at once.
type Invalid []FieldError

func (v *Invalid) Add(field string, code Code, format string, args ...any) {
	*v = append(*v, FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// err gives nil where nothing was added. The first code becomes the error's own where all
// agree, else [CodeValidationFailed].
func (v Invalid) Err() error {
	if len(v) == 0 {
		return nil
	}
	code := v[0].Code
	for _, f := range v[1:] {
		if f.Code != code {
			code = CodeValidationFailed
		}
	}
	if code == CodeInvalidValue || code == CodeRequired {
		code = CodeValidationFailed
	}
	return &Error{Code: code, Message: v[0].Message, Fields: v}
}

// WithField sets field as the only input that the error is about, and returns the error.
func (e *Error) WithField(field string) *Error {
	e.Fields = []FieldError{{Field: field, Code: e.Code, Message: e.Message}}
	return e
}
