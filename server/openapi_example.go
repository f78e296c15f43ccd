package server

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
	"storefront/shop/status"
	"storefront/transport"
)

// recordedExamples are responses of the demo shop, one OPERATION.json each; the Admin API's are in
// a folder of their own. The reference tests of the whole program record them.
//
//go:embed examples
var recordedExamples embed.FS

// IDs in examples. Every demo shop has this product and this collection.
const (
	exampleProductID    = "0ZRJS5B790K7P6HF38ZGHBY4KD" // mango-pickle
	exampleOrderID      = "7ZK3QW8N5T2M4R6V"           // has the form of an invoice UID
	exampleCollectionID = "6EDGHJNPG773AW373DVP6D1AQ8" // eid-collection
)

// exampleOrder returns the input of an order that the demo shop accepts.
func exampleOrder(method status.PaymentMethod) map[string]any {
	return map[string]any{
		"items":           []any{map[string]any{"productId": exampleProductID, "quantity": 1}},
		"customer":        map[string]any{"name": "Ayesha Rahman", "phoneNumber": "01711-000000"},
		"shippingAddress": map[string]any{"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"},
		"paymentMethod":   method,
	}
}

// The folders of the recorded responses of an API.
const (
	storefrontExamples = "examples/"
	adminExamples      = "examples/admin/"
)

// responseExample returns the recorded response of an operation, nil if there is none.
func responseExample(folder, operation string) (json.RawMessage, error) {
	body, err := recordedExamples.ReadFile(folder + operation + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return body, err
}

// addResponseExamples adds the recorded responses in a folder to the document.
func addResponseExamples(doc *huma.OpenAPI, folder string) error {
	for _, op := range allOperations(doc) {
		for status, response := range op.Responses {
			media := response.Content["application/json"]
			if status >= "300" || media == nil || media.Example != nil {
				continue
			}
			example, err := responseExample(folder, op.OperationID)
			if err != nil {
				return fmt.Errorf("example of %s: %w", op.OperationID, err)
			}
			if example != nil {
				media.Example = example
			}
		}
	}
	return nil
}

// allOperations returns all operations of a document.
func allOperations(doc *huma.OpenAPI) []*huma.Operation {
	var all []*huma.Operation
	for _, item := range doc.Paths {
		for _, op := range operationsOf(item) {
			all = append(all, op)
		}
	}
	return all
}

// operationsOf returns the operations of a path, by method.
func operationsOf(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPatch: item.Patch, http.MethodPut: item.Put, http.MethodDelete: item.Delete,
	}
	maps.DeleteFunc(all, func(_ string, op *huma.Operation) bool { return op == nil })
	return all
}

// describeStatus describes a status by its possible codes, with an example of each.
func describeStatus(doc *huma.OpenAPI, response *huma.Response, codes []fault.Code) {
	names := make([]string, len(codes))
	media := response.Content["application/problem+json"]
	media.Examples = make(map[string]*huma.Example, len(codes))
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
		media.Examples[string(code)] = &huma.Example{Ref: "#/components/examples/" + string(code)}
		if doc.Components.Examples[string(code)] == nil {
			doc.Components.Examples[string(code)] = problemExample(code)
		}
	}
	response.Description = strings.Join(names, ", ")
}

func meaning(code fault.Code) string {
	all := fault.Codes()
	return all[slices.IndexFunc(all, func(info fault.CodeInfo) bool { return info.Code == code })].Meaning
}

func problemExample(code fault.Code) *huma.Example {
	p := problem{
		Type: problemType(code), Title: title(code), Status: transport.Status(code), Detail: meaning(code), Code: code,
		RequestID: "01KAJ3V5W7X9Y1Z3A5B7C9D1E3", Errors: []fault.FieldError{},
	}
	switch code {
	case fault.CodeValidationFailed:
		p.Errors = append(p.Errors, fault.FieldError{Field: "items[0].quantity", Code: fault.CodeInvalidValue, Message: "Must be at least 1."})
	case fault.CodeUnknownField:
		p.Errors = append(p.Errors, fault.FieldError{Field: "colour", Code: code, Message: fault.UnknownField("colour").Message})
	case fault.CodeOutOfStock:
		p.Errors = append(p.Errors, fault.FieldError{Field: "items[0]", Code: code, Message: "Only 3 are left."})
	}
	return &huma.Example{Summary: title(code), Value: p}
}
