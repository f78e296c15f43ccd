package graphql

import (
	"errors"
	"net/http"
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

	// sent is the document as the client sent it, if its syntax is checked apart from its execution:
	// Query has only the executed definitions, or violates the grammar.
	sent      string
	kept      []*definition // the executed operation and its fragments
	newer     []replacement // the newer fields of introspection
	operation string        // the keyword of the operation to execute, "" if the syntax is wrong
	variables []variable    // of the operation to execute
	work      int           // units of work before execution
}

// readBody reads a request body of limited size, or what stands for it in a GET request. Codes:
// too_large, unsupported_media_type, malformed, unavailable.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return h.bodyOf(r)
	}
	if err := transport.CheckContentType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); err != nil {
		return nil, err
	}
	body, err := transport.ReadBody(r.Body, r.ContentLength, h.cfg.MaxBody, transport.HoldOf(w))
	if fault.HasCode(err, fault.CodeUnavailable) {
		w.Header().Set("Connection", "close") // net/http would read the rest before it sends the error
	}
	return body, err
}

// errPersistedQuery is the error of a request that has only the hash of a document. Clients
// know its message and its code, and then send the document itself.
var errPersistedQuery error = &fault.Error{
	Code: fault.CodeMalformed, Message: messagePersistedQuery,
}

const (
	messagePersistedQuery = "PersistedQueryNotSupported"
	codePersistedQuery    = "PERSISTED_QUERY_NOT_SUPPORTED"
)

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
		if doc.Extensions["persistedQuery"] != nil {
			return nil, errPersistedQuery
		}
		return nil, clientError(fault.CodeMalformed, "The request must have a query.")
	}
	return &doc, nil
}

// bodyError converts an error of decoding a body. Its message contains only the name of an unknown
// member of the body.
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
