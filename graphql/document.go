package graphql

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"storefront/shop/fault"
	"storefront/transport"
)

// document is the body of a request.
type document struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    map[string]any `json:"extensions"` // accepted and ignored
}

// readBody reads a request body of limited size. Codes: too_large, unsupported_media_type,
// malformed, unavailable.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := transport.CheckContentType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); err != nil {
		return nil, err
	}
	body, err := transport.ReadBody(r.Body, r.ContentLength, h.cfg.MaxBody, transport.HoldOf(w))
	if fault.HasCode(err, fault.CodeUnavailable) {
		w.Header().Set("Connection", "close") // net/http would read the rest before it sends the error
	}
	return body, err
}

// decodeDocument decodes a request body. Codes: too_large, malformed, unknown_field,
// validation_failed.
func (h *Handler) decodeDocument(body []byte) (*document, error) {
	doc, err := decodeDocument(body)
	if err != nil {
		return nil, err
	}
	if len(doc.Query) > h.cfg.MaxQuery {
		return nil, clientError(fault.CodeTooLarge, "The document must not be longer than %d bytes. Send values as variables.", h.cfg.MaxQuery)
	}
	return doc, nil
}

func decodeDocument(body []byte) (*document, error) {
	var doc document
	if err := transport.UnmarshalBody(body, &doc, transport.ParseFloat); err != nil {
		return nil, bodyError(err)
	}
	if err := transport.CheckNUL(body, doc.Query, doc.Variables); err != nil {
		return nil, bodyError(err)
	}
	if strings.TrimSpace(doc.Query) == "" {
		return nil, clientError(fault.CodeMalformed, "The body must have a query.")
	}
	if !hasPlainStrings(doc.Query) {
		return nil, clientError(fault.CodeMalformed,
			`Strings in the query support the escapes \", \\, \b, \f, \n, \r, \t and \uXXXX. Send any other string as a variable.`)
	}
	return &doc, nil
}

// bodyError converts an error of decoding a body. Its message contains nothing of the body except
// the name of an unknown member.
func bodyError(err error) *fault.Error {
	semantic, isSemantic := errors.AsType[*json.SemanticError](err)
	body, isBody := errors.AsType[*transport.BodyError](err)
	switch {
	case isBody:
		return body.Malformed()
	case isSemantic && errors.Is(err, json.ErrUnknownName):
		return fault.InputError(fault.FieldError{
			Field: shorten(semantic.JSONPointer.LastToken()), Code: fault.CodeUnknownField,
			Message: "Unknown field: must be query, operationName, variables or extensions.",
		})
	case isSemantic && semantic.JSONPointer == "":
		return clientError(fault.CodeMalformed, "The body must be an object with one operation.")
	case isSemantic:
		return fault.InputError(fault.FieldError{
			Field: strings.TrimPrefix(string(semantic.JSONPointer), "/"), Code: fault.CodeInvalidValue,
			Message: "Wrong type: query and operationName must be strings, variables and extensions must be objects.",
		})
	}
	return clientError(fault.CodeMalformed, "The body must be a JSON object.")
}

// hasPlainStrings reports whether the strings of a query have only the escapes of GraphQL, and none
// for NUL. The library parses strings by Go's rules, so that "\xff" would be invalid UTF-8.
func hasPlainStrings(query string) bool {
	for i := 0; i < len(query); i++ {
		switch {
		case query[i] == '#':
			end := strings.IndexAny(query[i:], "\r\n")
			if end < 0 {
				return true
			}
			i += end
		case strings.HasPrefix(query[i:], `"""`):
			end := strings.Index(query[i+3:], `"""`)
			if end < 0 {
				return true // unterminated: the parser reports it
			}
			i += end + 5
		case query[i] == '"':
			end, ok := endOfString(query, i+1)
			if !ok {
				return false
			}
			i = end
		}
	}
	return true
}

// endOfString returns the index of the end of the string that begins at i, or false if it has an
// unsupported escape.
func endOfString(query string, i int) (int, bool) {
	for ; i < len(query) && query[i] != '"' && query[i] != '\n'; i++ {
		if query[i] != '\\' {
			continue
		}
		i++
		switch {
		case i == len(query) || !strings.ContainsRune(`"\bfnrtu`, rune(query[i])):
			return 0, false
		case query[i] == 'u':
			code, err := strconv.ParseUint(query[i+1:min(i+5, len(query))], 16, 16)
			if err != nil || code == 0 || code >= 0xD800 && code < 0xE000 {
				return 0, false
			}
		}
	}
	return i, true
}
