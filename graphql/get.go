package graphql

import (
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"storefront/shop/fault"
)

// bodyOf returns the parameters of a GET request as the body of the same POST request, so that both
// have the same limits, errors and cached responses. Codes: malformed, too_large.
func (h *Handler) bodyOf(r *http.Request) ([]byte, error) {
	if int64(len(r.URL.RawQuery)) > h.cfg.MaxBody {
		return nil, clientError(fault.CodeTooLarge, "The URL is too long. Send the document by POST.")
	}
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, clientError(fault.CodeMalformed, "The query string is malformed. Encode special characters.")
	}
	body := struct {
		Query         string         `json:"query,omitzero"`
		OperationName string         `json:"operationName,omitzero"`
		Variables     jsontext.Value `json:"variables,omitzero"`
		Extensions    jsontext.Value `json:"extensions,omitzero"`
	}{Query: sent.Get("query"), OperationName: sent.Get("operationName")}
	for name, value := range map[string]*jsontext.Value{"variables": &body.Variables, "extensions": &body.Extensions} {
		if text := sent.Get(name); text != "" {
			*value = jsontext.Value(text)
			if !value.IsValid() {
				return nil, clientError(fault.CodeMalformed, "The parameter %s must be a JSON object.", name)
			}
		}
	}
	encoded, err := json.Marshal(body)
	if err != nil { // not UTF-8
		return nil, clientError(fault.CodeMalformed, "The parameters must be UTF-8.")
	}
	return encoded, nil
}

// checkMethod returns an error if a document must not be sent by the method of its request: links
// and images of other pages send GET requests. Codes: method_not_allowed.
func (doc *document) checkMethod(w http.ResponseWriter, r *http.Request) error {
	isQuery := doc.operation == "query" || doc.operation == "" // a syntax error is refused later
	if r.Method == http.MethodPost || isQuery {
		return nil
	}
	w.Header().Set("Allow", http.MethodPost)
	return clientError(fault.CodeMethodNotAllowed, "Only queries may be sent by GET. Send the document by POST.")
}
