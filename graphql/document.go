package graphql

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"storefront/shop"
)

// document is the body of a request.
type document struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    map[string]any `json:"extensions"` // read, and not looked at
}

// maxNesting is how deeply a body may be nested. No input of ours comes near it.
const maxNesting = 32

// What a body can be refused for beside its syntax. Clients read the texts.
var (
	errTooDeep = fmt.Errorf("it is nested more than %d levels deep", maxNesting)
	errTooHuge = errors.New("it has a number beyond all that are counted")
)

// usualBody is what most bodies fit into, in bytes. What a client says of a longer one takes no
// memory before it comes.
const usualBody = 2 << 10

// readBody reads a body within the limit. Codes: too_large, unsupported_media_type, malformed.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, refuse(shop.CodeUnsupportedMediaType, "Send the body with Content-Type: application/json.")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, refuse(shop.CodeUnsupportedMediaType, "Send the body without a Content-Encoding.")
	}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, bytes.MinRead), usualBody))) // all of it comes with its end
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, h.cfg.MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, refuse(shop.CodeTooLarge, "The body is larger than %d bytes.", h.cfg.MaxBody)
	}
	if err != nil {
		return nil, &shop.Error{Code: shop.CodeMalformed, Message: "The body could not be read to its end.", Err: err}
	}
	return body.Bytes(), nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json" && (params["charset"] == "" || strings.EqualFold(params["charset"], "utf-8"))
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
	err := json.Unmarshal(body, &doc, json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(readVariable)))
	if err != nil {
		return nil, bodyFault(err)
	}
	if bytes.Contains(body, []byte(`\u0000`)) && (strings.Contains(doc.Query, "\x00") || shop.HasNUL(doc.Variables)) {
		return nil, refuse(shop.CodeMalformed, "The body has a NUL character.")
	}
	if strings.TrimSpace(doc.Query) == "" {
		return nil, refuse(shop.CodeMalformed, "The body has no query.")
	}
	if !hasPlainStrings(doc.Query) {
		return nil, refuse(shop.CodeMalformed, `A string in the query has an escape that is not read here: \", \\, \b, \f, \n, \r, \t and \uXXXX are. Better send it as a variable.`)
	}
	return &doc, nil
}

// readVariable reads one value, with integers as int64, so that amounts stay exact.
func readVariable(dec *jsontext.Decoder, v *any) error {
	if dec.StackDepth() >= maxNesting {
		return errTooDeep
	}
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported // the usual way
	}
	text, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*v = n
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return errTooHuge
	}
	*v = f
	return nil
}

// bodyFault says what is wrong with a body without showing any of it.
func bodyFault(err error) *shop.Error {
	semantic, isSemantic := errors.AsType[*json.SemanticError](err)
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, errTooDeep):
		return refuse(shop.CodeMalformed, "The body can not be read: %v.", errTooDeep)
	case errors.Is(err, errTooHuge):
		return refuse(shop.CodeMalformed, "The body can not be read: %v.", errTooHuge)
	case errors.Is(err, jsontext.ErrDuplicateName) && isSyntax:
		return refuse(shop.CodeMalformed, "The body can not be read: an object has a name twice, at byte %d.", syntax.ByteOffset)
	case isSyntax:
		return refuse(shop.CodeMalformed, "The body can not be read: it is not JSON in UTF-8, at byte %d.", syntax.ByteOffset)
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
	return refuse(shop.CodeMalformed, "The body can not be read.")
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
