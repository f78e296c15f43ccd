package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"storefront/shop/fault"
	"storefront/transport"
)

// humaProblem converts huma's errors: use cases' errors unchanged, and huma's own findings about an
// input into domain errors.
func humaProblem(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	x := exchangeOf(ctx)
	switch status {
	case http.StatusInternalServerError:
		return x.problem(errors.Join(errs...))
	case http.StatusBadRequest:
		if missing := missingFile(ctx.Operation()); missing != nil && len(errs) == 0 {
			return x.problem(missing)
		}
		return x.problem(malformedBody(errs))
	case http.StatusUnprocessableEntity:
		return x.problem(invalidInput(errs))
	}
	return x.problem(fmt.Errorf("huma status %d: %s", status, message))
}

// missingFile returns the error of an operation with a file as its body, if none was sent; nil for
// any other operation.
func missingFile(op *huma.Operation) error {
	switch {
	case op == nil || op.RequestBody == nil:
	case op.RequestBody.Content["image/jpeg"] != nil:
		return fault.Errorf(fault.CodeImageInvalid, "The image is missing: send its file as the body.")
	case op.RequestBody.Content["text/csv"] != nil:
		return fault.Errorf(fault.CodeValidationFailed, "The file is missing: send it as the body.")
	}
	return nil
}

func malformedBody(errs []error) *fault.Error {
	for _, err := range errs {
		if detail, ok := err.(*huma.ErrorDetail); ok { // written by strictJSON
			return &fault.Error{Code: fault.CodeMalformed, Message: detail.Message}
		}
	}
	return transport.ErrNotJSON.Malformed()
}

// invalidInput converts huma's findings. Their values are omitted: one of them may be a password.
func invalidInput(errs []error) *fault.Error {
	fields := make([]fault.FieldError, 0, len(errs))
	for _, err := range errs {
		detail, ok := err.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		fields = append(fields, fieldError(detail))
	}
	if len(fields) == 0 {
		return &fault.Error{Code: fault.CodeValidationFailed, Message: "Some inputs are invalid."}
	}
	return fault.InputError(fields...)
}

// maxFieldName limits the bytes of a client's field name in a response.
const maxFieldName = 100

func fieldError(detail *huma.ErrorDetail) fault.FieldError {
	place, field, nested := strings.Cut(detail.Location, ".")
	if !nested {
		field = place // the body itself
	}
	if len(field) > maxFieldName {
		field = strings.ToValidUTF8(field[:maxFieldName], "") + "…"
	}
	name, isMissing := strings.CutPrefix(detail.Message, missingProperty)
	switch {
	case isMissing && nested:
		return fault.MissingField(field + "." + name)
	case isMissing:
		return fault.MissingField(name)
	case detail.Message == "required query parameter is missing":
		return fault.MissingField(field)
	case detail.Message == validation.MsgUnexpectedProperty:
		return fault.UnknownField(field)
	}
	f := fault.FieldError{Field: field, Code: fault.CodeInvalidValue, Message: detail.Message}
	switch message, ok := parameterMessages[f.Message]; {
	case ok:
		f.Message = message
	case strings.HasPrefix(f.Message, "invalid date/time "):
		f.Message = validation.MsgExpectedRFC3339DateTime
	}
	return f
}

// missingProperty begins huma's message about a missing property, before its name. huma reports it
// at the object that lacks it.
const missingProperty = "missing "

// parameterMessages replaces the messages about query parameters, which huma does not let us set.
var parameterMessages = map[string]string{
	"invalid boolean": "Must be true or false.",
	"invalid integer": "Must be a whole number.",
}

// setValidationMessages replaces huma's messages by sentences like the domain's, except messages
// about formats that no input has.
func setValidationMessages() {
	validation.MsgUnexpectedProperty = fault.UnknownField("").Message
	validation.MsgExpectedRequiredProperty = missingProperty + "%s"
	validation.MsgExpectedBoolean = "Must be true or false."
	validation.MsgExpectedInteger = "Must be a whole number."
	validation.MsgExpectedNumber = "Must be a number."
	validation.MsgExpectedString = "Must be a string."
	validation.MsgExpectedArray = "Must be a list."
	validation.MsgExpectedObject = "Must be an object."
	validation.MsgExpectedOneOf = "Must be one of %s."
	validation.MsgExpectedMinimumNumber = "Must be at least %v."
	validation.MsgExpectedMaximumNumber = "Must be at most %v."
	validation.MsgExpectedMinLength = "Must have at least %d characters."
	validation.MsgExpectedMaxLength = "Must have at most %d characters."
	validation.MsgExpectedMinItems = "Must have %d or more items."
	validation.MsgExpectedMaxItems = "Must have at most %d items."
	validation.MsgExpectedRFC3339DateTime = "Must be a time such as 2026-03-01T06:00:00Z."
}
