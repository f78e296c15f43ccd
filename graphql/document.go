package graphql

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"storefront/shop"
	"storefront/transport"
)

// document is the body of a request.
type document struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    map[string]any `json:"extensions"` // read, and not looked at
}

// readBody reads a body within the limit. Codes: too_large, unsupported_media_type, malformed.
func (h *Handler) readBody(r *http.Request) ([]byte, error) {
	if err := transport.CheckContentType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); err != nil {
		return nil, err
	}
	return transport.ReadBody(r.Body, r.ContentLength, h.cfg.MaxBody)
}

// decodeDocument reads the document that a body is. Codes: too_large, malformed, unknown_field,
// validation_failed.
func (h *Handler) decodeDocument(body []byte) (*document, error) {
	doc, err := decodeDocument(body)
	if err != nil {
		return nil, err
	}
	if len(doc.Query) > h.cfg.MaxQuery {
		return nil, refuse(shop.CodeTooLarge, "The document is longer than %d bytes: send values as variables.", h.cfg.MaxQuery)
	}
	return doc, nil
}

func decodeDocument(body []byte) (*document, error) {
	var doc document
	if err := transport.UnmarshalBody(body, &doc, transport.ParseFloat); err != nil {
		return nil, bodyFault(err)
	}
	if err := transport.CheckNUL(body, doc.Query, doc.Variables); err != nil {
		return nil, bodyFault(err)
	}
	if strings.TrimSpace(doc.Query) == "" {
		return nil, refuse(shop.CodeMalformed, "The body has no query.")
	}
	if !hasPlainStrings(doc.Query) {
		return nil, refuse(shop.CodeMalformed, `A string in the query has an escape that is not read here: \", \\, \b, \f, \n, \r, \t and \uXXXX are. Better send it as a variable.`)
	}
	return &doc, nil
}

// bodyFault maps an error of decoding a body. Nothing of the body is repeated but the name of an
// unknown member.
func bodyFault(err error) *shop.Error {
	semantic, isSemantic := errors.AsType[*json.SemanticError](err)
	body, isBody := errors.AsType[*transport.BodyError](err)
	switch {
	case isBody:
		return body.Malformed()
	case isSemantic && errors.Is(err, json.ErrUnknownName):
		return shop.InputError(shop.FieldError{
			Field: shorten(semantic.JSONPointer.LastToken()), Code: shop.CodeUnknownField,
			Message: "There is no such field: a request has query, operationName, variables and extensions.",
		})
	case isSemantic && semantic.JSONPointer == "":
		return refuse(shop.CodeMalformed, "Send one operation as an object, not a list.")
	case isSemantic:
		return shop.InputError(shop.FieldError{
			Field: strings.TrimPrefix(string(semantic.JSONPointer), "/"), Code: shop.CodeInvalidValue,
			Message: "It has the wrong type: query and operationName are texts, variables and extensions are objects.",
		})
	}
	return refuse(shop.CodeMalformed, "The body must be a JSON object.")
}

// hasPlainStrings reports whether the strings of a query have only escapes that give a character.
// The library reads strings by Go's rules, by which "\xff" is no text and "\u0000" a NUL.
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
				return true // never closed: the parser says so
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

// endOfString gives where the string that begins at i ends, false if an escape is not plain.
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
