package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind groups codes by the caller's possible reaction. A transport maps each kind to a status of
// its own.
type Kind int

// The kinds of error.
const (
	KindInternal        Kind = iota // unexpected: the caller cannot fix it
	KindMalformed                   // the request could not be parsed
	KindInvalid                     // the request was parsed and breaks a rule
	KindUnauthenticated             // credentials are missing or invalid
	KindForbidden                   // authenticated but not permitted
	KindNotFound                    // it does not exist, or the caller may not see it
	KindConflict                    // the present state of the shop does not allow it
	KindTooMany                     // a limit is exceeded: wait
	KindUnavailable                 // temporarily unavailable: try again later
	KindTooLarge                    // the request exceeds the size limit
	KindUnsupported                 // the content type is not supported
	KindMethod                      // the path does not support the method
	KindPrecondition                // the record has changed since the caller read it
)

// Code identifies one kind of error for programs. A code has the same meaning on every transport.
type Code string

// CodeInfo describes a code.
type CodeInfo struct {
	Code    Code
	Kind    Kind
	Meaning string // for the API reference: its cause and its remedy
}

// Error is the one error type of the domain. Message, Fields and Details are for the caller;
// Err is for the log only.
type Error struct {
	Code    Code
	Message string         // one or two sentences that state the problem and the remedy, without personal data or secrets
	Fields  []FieldError   // the invalid inputs, if any
	Details map[string]any // data for programs, such as the new amounts after a price change
	Err     error          // the cause; never shown to the caller
	// RetryAfter is the number of seconds to wait, for KindTooMany and KindUnavailable; 0 means
	// unknown.
	RetryAfter int
}

// FieldError describes one invalid input.
type FieldError struct {
	Field   string `json:"field" doc:"Path of the input, such as items[0].quantity"`
	Code    Code   `json:"code" doc:"The rule that the input breaks"`
	Message string `json:"message" doc:"The rule or the remedy"`
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Kind returns the kind of the error's code.
func (e *Error) Kind() Kind { return e.Code.Kind() }

// Reason returns the cause of a failed request to another server, for staff members, as the end of
// a sentence without its full stop. An error without a response has a Reason of its own; its text,
// with the network's words, is for the log.
func Reason(err error) string {
	if e, ok := errors.AsType[interface {
		error
		Reason() string
	}](err); ok {
		return e.Reason()
	}
	return err.Error()
}

// Sentence returns a rule such as "must not be empty" as a sentence.
func Sentence(rule string) string {
	return strings.ToUpper(rule[:1]) + strings.TrimRight(rule[1:], ". ") + "."
}

// HasCode reports whether an [Error] with this code is in err's chain.
func HasCode(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// InputError returns the error of a transport that cannot decode at least one input. Field is empty
// if the transport does not know which input it is.
// Codes: unknown_field if all fields have this code, otherwise validation_failed.
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

// MissingField returns the error of a required input that is missing.
func MissingField(field string) FieldError {
	return FieldError{Field: field, Code: CodeRequired, Message: "This input is required."}
}

// UnknownField returns the error of an input that does not exist.
func UnknownField(field string) FieldError {
	return FieldError{Field: field, Code: CodeUnknownField, Message: "Unknown field: remove it."}
}

// Errorf returns an error with this code and a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// StatusConflict returns a state_conflict of a record with this status, which is also in the
// details. The message is formatted.
func StatusConflict[S ~string](status S, format string, args ...any) *Error {
	e := Errorf(CodeStateConflict, format, args...)
	e.Details = map[string]any{"status": string(status)}
	return e
}

// Invalid collects the invalid fields of an input, so that one error reports all of them.
type Invalid []FieldError

// Add adds an invalid field. The message is formatted.
func (v *Invalid) Add(field string, code Code, format string, args ...any) {
	*v = append(*v, FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// Err returns an error with all fields, or nil if none was added. Its code is the fields' common
// code, unless it is [CodeRequired] or [CodeInvalidValue]; otherwise [CodeValidationFailed].
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

// WithField sets field as the only invalid input, and returns the error.
func (e *Error) WithField(field string) *Error {
	e.Fields = []FieldError{{Field: field, Code: e.Code, Message: e.Message}}
	return e
}
