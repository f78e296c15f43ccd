package graphql

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/transport"
)

// Validation rules of the library that report an exceeded limit, not an invalid document.
const (
	ruleDepth    = "MaxDepthExceeded"
	ruleOverlaps = "OverlapValidationLimitExceeded"
)

// ruleVariables is the rule for the values of variables.
const ruleVariables = "VariablesOfCorrectType"

// valueRules are the rules for values of variables and literals. Their messages contain the value.
var valueRules = map[string]bool{
	ruleVariables:                   true,
	"ValuesOfCorrectTypeRule":       true,
	"DefaultValuesOfCorrectType":    true,
	"ProvidedRequiredArgumentsRule": true,
}

// clientError returns an error with a message for the client.
func clientError(code fault.Code, format string, args ...any) *fault.Error {
	return &fault.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// domainError converts an error of the library to one of the domain.
func domainError(err *gqlerrors.QueryError) *fault.Error {
	switch {
	case err.ResolverError != nil:
		return transport.AsError(err.ResolverError)
	case err.Rule == ruleDepth:
		return clientError(fault.CodeTooComplex, "%s.", shorten(err.Message))
	case err.Rule == ruleOverlaps, errors.Is(err.Err, graphqlgo.ErrTooManySelections):
		return errTooManyFields()
	case valueRules[err.Rule]:
		return fault.InputError(valueError(err.Message))
	case err.Rule != "":
		return clientError(fault.CodeMalformed, "%s", shorten(err.Message)) // contains only names of the document
	case errors.Is(err.Err, gqlerrors.ErrSyntax):
		return clientError(fault.CodeMalformed, "The query has a syntax error: %s.", syntaxMessage(err.Message))
	}
	if scalar, ok := isScalarError(err.Err); ok {
		return fault.InputError(fault.FieldError{Code: fault.CodeInvalidValue, Message: "Must be " + scalarNames[scalar] + "."})
	}
	if _, ok := errors.AsType[*fault.Error](err.Err); ok || transport.IsContextError(err.Err) {
		return transport.AsError(err.Err)
	}
	if len(err.Path) > 0 || isPanic(err) { // an error of our resolvers
		return shop.AsError(cause(err))
	}
	if strings.Contains(err.Message, "operation") { // the library does not mark these errors otherwise
		return errOperationName()
	}
	return clientError(fault.CodeMalformed, "The document cannot be executed. Check the types of the arguments.")
}

// isPanic reports whether err is a panic of our code, which has no message for the client.
func isPanic(err *gqlerrors.QueryError) bool { return err.Message == "" && err.Err != nil }

func cause(err *gqlerrors.QueryError) error {
	if err.Err != nil {
		return err.Err
	}
	return err
}

// mergeValueErrors merges all errors of values into one, as in REST. variables are the errors of
// variables with their paths; it may be empty. enumError returns the error of a literal that is not
// a value of its enumerated type.
func mergeValueErrors(
	errs []*gqlerrors.QueryError, variables []fault.FieldError, enumError func(*gqlerrors.QueryError) (fault.FieldError, bool),
) []*gqlerrors.QueryError {
	var merged []*gqlerrors.QueryError
	var fields []fault.FieldError
	var first *gqlerrors.QueryError
	for _, err := range errs {
		if !valueRules[err.Rule] || len(fields) >= maxFieldErrors {
			merged = append(merged, err)
			continue
		}
		isVariable := err.Rule == ruleVariables
		if first == nil {
			first = &gqlerrors.QueryError{Locations: err.Locations}
			if isVariable {
				first.Locations = nil // for a nested field, they refer to the schema
			}
			merged = append(merged, first)
		}
		if isVariable && len(variables) > 0 {
			continue
		}
		field, isEnum := enumError(err)
		if !isEnum {
			field = valueError(err.Message)
		}
		fields = append(fields, field)
	}
	if first != nil {
		first.Err = fault.InputError(append(variables, fields...)...)
	}
	return merged
}

// quoted matches a string quoted by the library with Go's rules.
const quoted = `("(?:[^"\\]|\\.)*")`

// valuePatterns match the library's messages about values. The value in a message is dropped, since
// it may be a password.
var valuePatterns = []struct {
	pattern *regexp.Regexp // the first group is the name of the input
	code    fault.Code
}{
	{regexp.MustCompile(`Field ` + quoted + ` is not defined by type `), fault.CodeUnknownField},
	{regexp.MustCompile(`^Variable ` + quoted + ` has invalid value null`), fault.CodeRequired},
	{regexp.MustCompile(`^Field ` + quoted + ` of required type .* was not provided`), fault.CodeRequired},
	{regexp.MustCompile(`argument ` + quoted + ` of type .* is required`), fault.CodeRequired},
	{regexp.MustCompile(`^Variable ` + quoted + ` has invalid `), fault.CodeInvalidValue},
}

// expectedType matches the expected type of a value.
var expectedType = regexp.MustCompile(`(?:Expected (?:value of )?type |in )"([\w!\[\]]+)"|^(?:Enum "(\w+)"|(\w+)) cannot represent`)

// valueError converts a message of the library about a value.
func valueError(message string) fault.FieldError {
	field := fault.FieldError{Code: fault.CodeInvalidValue, Message: "The value does not match its type."}
	for _, known := range valuePatterns {
		if match := known.pattern.FindStringSubmatch(message); match != nil {
			name, _ := strconv.Unquote(match[1])
			name = name[strings.LastIndexByte(name, '.')+1:] // the name of a type may precede it
			field.Field, field.Code = shorten(name), known.code
			break
		}
	}
	switch field.Code {
	case fault.CodeUnknownField:
		return fault.UnknownField(field.Field)
	case fault.CodeRequired:
		return fault.MissingField(field.Field)
	}
	if matches := expectedType.FindAllStringSubmatch(message, -1); matches != nil {
		last := matches[len(matches)-1] // the rejected value may precede it
		field.Message = "Must be a value of type " + last[1] + last[2] + last[3] + "."
	}
	return field
}

var unexpected = regexp.MustCompile(`^syntax error: (?:unexpected ` + quoted + `, )?`)

// syntaxMessage removes the unexpected token, which may be part of a value, from a message.
func syntaxMessage(message string) string {
	return shorten(unexpected.ReplaceAllString(message, ""))
}

// maxName limits the bytes of a client's own name in a response.
const maxName = 200

func shorten(text string) string {
	if len(text) <= maxName {
		return text
	}
	return strings.ToValidUTF8(text[:maxName], "") + "…"
}
