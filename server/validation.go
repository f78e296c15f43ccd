package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"storefront/shop"
)

// humaProblem is how huma makes its errors here: those of a use case as they are, its own ones
// (what it found wrong with an input) in the words of our codes.
func humaProblem(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	x := exchangeOf(ctx)
	switch status {
	case http.StatusInternalServerError:
		return x.problem(errors.Join(errs...))
	case http.StatusBadRequest:
		return x.problem(malformedBody(errs))
	case http.StatusUnprocessableEntity:
		return x.problem(invalidInput(errs))
	}
	return x.problem(fmt.Errorf("huma answers %d: %s", status, message))
}

func malformedBody(errs []error) *shop.Error {
	for _, err := range errs {
		if detail, ok := err.(*huma.ErrorDetail); ok { // its text is our own decoder's
			return &shop.Error{Code: shop.CodeMalformed, Message: detail.Message}
		}
	}
	return &shop.Error{Code: shop.CodeMalformed, Message: messageNotJSON}
}

// invalidInput puts huma's findings into the form of the domain's. Their values are left out:
// one of them may be a password.
func invalidInput(errs []error) *shop.Error {
	fields := make([]shop.FieldError, 0, len(errs))
	for _, err := range errs {
		detail, ok := err.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		fields = append(fields, fieldError(detail))
	}
	if len(fields) == 0 {
		return &shop.Error{Code: shop.CodeValidationFailed, Message: "Some inputs break a rule."}
	}
	return shop.InputError(fields...)
}

// maxFieldName bounds what a client's own name for a field adds to an answer.
const maxFieldName = 100

func fieldError(detail *huma.ErrorDetail) shop.FieldError {
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
		return shop.MissingField(field + "." + name)
	case isMissing:
		return shop.MissingField(name)
	case detail.Message == validation.MsgUnexpectedProperty:
		return shop.UnknownField(field)
	}
	f := shop.FieldError{Field: field, Code: shop.CodeInvalidValue, Message: detail.Message}
	if message, ok := parameterMessages[f.Message]; ok {
		f.Message = message
	}
	return f
}

// missingProperty begins the message of a property that is not there, before its name: huma tells
// of it at the object that lacks it.
const missingProperty = "missing "

// parameterMessages are for the texts by which huma tells of a parameter in an address, which are
// not among its settings.
var parameterMessages = map[string]string{
	"invalid boolean": "Send true or false.",
	"invalid integer": "Send a whole number.",
}

// setValidationMessages makes whole sentences, as the domain writes them, of what huma finds in an input.
// Those of formats that no input has are left as they are.
func setValidationMessages() {
	validation.MsgUnexpectedProperty = shop.UnknownField("").Message
	validation.MsgExpectedRequiredProperty = missingProperty + "%s"
	validation.MsgExpectedBoolean = "Send true or false."
	validation.MsgExpectedInteger = "Send a whole number."
	validation.MsgExpectedNumber = "Send a number."
	validation.MsgExpectedString = "Send a text."
	validation.MsgExpectedArray = "Send a list."
	validation.MsgExpectedObject = "Send an object."
	validation.MsgExpectedOneOf = "Send one of %s."
	validation.MsgExpectedMinimumNumber = "Send a number of at least %v."
	validation.MsgExpectedMaximumNumber = "Send a number of at most %v."
	validation.MsgExpectedMinLength = "Send at least %d characters."
	validation.MsgExpectedMaxLength = "Send at most %d characters."
	validation.MsgExpectedMinItems = "Send at least %d of them."
	validation.MsgExpectedMaxItems = "Send at most %d of them."
	validation.MsgExpectedRFC3339DateTime = "Send a time such as 2026-03-01T06:00:00Z."
}
