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
	"storefront/transport"
)

// The library's rules that do not mean a wrong document.
const (
	ruleDepth    = "MaxDepthExceeded"
	ruleOverlaps = "OverlapValidationLimitExceeded"
)

// ruleVariables is the rule that the value of a variable breaks.
const ruleVariables = "VariablesOfCorrectType"

// valueRules are those that a value breaks, of a variable or of a literal. Their texts repeat it.
var valueRules = map[string]bool{
	ruleVariables:                   true,
	"ValuesOfCorrectTypeRule":       true,
	"DefaultValuesOfCorrectType":    true,
	"ProvidedRequiredArgumentsRule": true,
}

// refuse gives a fault in words for the client.
func refuse(code shop.Code, format string, args ...any) *shop.Error {
	return &shop.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// faultOf says what an error of the library means.
func faultOf(err *gqlerrors.QueryError) *shop.Error {
	switch {
	case err.ResolverError != nil:
		return transport.AsError(err.ResolverError)
	case err.Rule == ruleDepth:
		return refuse(shop.CodeTooComplex, "%s.", shorten(err.Message))
	case err.Rule == ruleOverlaps, errors.Is(err.Err, graphqlgo.ErrTooManySelections):
		return refuse(shop.CodeTooComplex, "The document names too many fields.")
	case valueRules[err.Rule]:
		return shop.InputError(valueFault(err.Message))
	case err.Rule != "":
		return refuse(shop.CodeMalformed, "%s", shorten(err.Message)) // of names in the document alone
	case errors.Is(err.Err, gqlerrors.ErrSyntax):
		return refuse(shop.CodeMalformed, "The query can not be read: %s.", syntaxFault(err.Message))
	}
	if scalar, ok := isScalarError(err.Err); ok {
		return shop.InputError(shop.FieldError{Code: shop.CodeInvalidValue, Message: "Send " + scalarNames[scalar] + "."})
	}
	if _, ok := errors.AsType[*shop.Error](err.Err); ok || transport.IsContextError(err.Err) {
		return transport.AsError(err.Err)
	}
	if len(err.Path) > 0 || isPanic(err) { // our own resolvers' doing
		return shop.AsError(cause(err))
	}
	if strings.Contains(err.Message, "operation") { // the library has no other sign of these
		return refuse(shop.CodeMalformed, "Send as operationName the name of one of the document's operations: it says which of them is meant.")
	}
	return refuse(shop.CodeMalformed, "The document can not be executed: check the types of the arguments.")
}

// isPanic tells our own panic errors, which have no message for the client, from the library's.
func isPanic(err *gqlerrors.QueryError) bool { return err.Message == "" && err.Err != nil }

func cause(err *gqlerrors.QueryError) error {
	if err.Err != nil {
		return err.Err
	}
	return err
}

// mergeValueFaults makes one error of all that is wrong with the values, as REST does. variables is
// what is wrong with the variables, by their paths, where that is known.
func mergeValueFaults(errs []*gqlerrors.QueryError, variables []shop.FieldError) []*gqlerrors.QueryError {
	var merged []*gqlerrors.QueryError
	var fields []shop.FieldError
	var first *gqlerrors.QueryError
	for _, err := range errs {
		if !valueRules[err.Rule] || len(fields) >= maxFieldErrors {
			merged = append(merged, err)
			continue
		}
		ofVariable := err.Rule == ruleVariables
		if first == nil {
			first = &gqlerrors.QueryError{Locations: err.Locations}
			if ofVariable {
				first.Locations = nil // of a nested field they are places in the schema's text
			}
			merged = append(merged, first)
		}
		if ofVariable && len(variables) > 0 {
			continue
		}
		fields = append(fields, valueFault(err.Message))
	}
	if first != nil {
		first.Err = shop.InputError(append(variables, fields...)...)
	}
	return merged
}

// quoted is a text that the library wrote by Go's rules.
const quoted = `("(?:[^"\\]|\\.)*")`

// valueFaults reads the library's texts about values. What they repeat of a value is left out, for
// it may be a password.
var valueFaults = []struct {
	pattern *regexp.Regexp // its first group names the input
	code    shop.Code
}{
	{regexp.MustCompile(`Field ` + quoted + ` is not defined by type `), shop.CodeUnknownField},
	{regexp.MustCompile(`^Variable ` + quoted + ` has invalid value null`), shop.CodeRequired},
	{regexp.MustCompile(`^Field ` + quoted + ` of required type .* was not provided`), shop.CodeRequired},
	{regexp.MustCompile(`argument ` + quoted + ` of type .* is required`), shop.CodeRequired},
	{regexp.MustCompile(`^Variable ` + quoted + ` has invalid `), shop.CodeInvalidValue},
}

// expectedType finds the type that a value should have had.
var expectedType = regexp.MustCompile(`(?:Expected (?:value of )?type |in )"([\w!\[\]]+)"|^(?:Enum "(\w+)"|(\w+)) cannot represent`)

func valueFault(message string) shop.FieldError {
	fault := shop.FieldError{Code: shop.CodeInvalidValue, Message: "This value is not allowed here."}
	for _, known := range valueFaults {
		if match := known.pattern.FindStringSubmatch(message); match != nil {
			name, _ := strconv.Unquote(match[1])
			name = name[strings.LastIndexByte(name, '.')+1:] // a type's name may come first
			fault.Field, fault.Code = shorten(name), known.code
			break
		}
	}
	switch fault.Code {
	case shop.CodeUnknownField:
		return shop.UnknownField(fault.Field)
	case shop.CodeRequired:
		return shop.MissingField(fault.Field)
	}
	if matches := expectedType.FindAllStringSubmatch(message, -1); matches != nil {
		last := matches[len(matches)-1] // what was sent may come before
		fault.Message = "Send a value of type " + last[1] + last[2] + last[3] + "."
	}
	return fault
}

var unexpected = regexp.MustCompile(`^syntax error: (?:unexpected ` + quoted + `, )?`)

// syntaxFault leaves out what stood where something else was expected.
func syntaxFault(message string) string {
	return shorten(unexpected.ReplaceAllString(message, ""))
}

// maxName bounds what a client's own names add to an answer.
const maxName = 200

func shorten(text string) string {
	if len(text) <= maxName {
		return text
	}
	return strings.ToValidUTF8(text[:maxName], "") + "…"
}
