package server

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// sendWithoutAmounts calls next, and sends its response without amounts of money: every amount is 0
// with an empty text, and amounts in texts are replaced.
func (x *exchange) sendWithoutAmounts(o *admin.Operation, next func()) {
	switch {
	case o.File:
		e := fault.Errorf(fault.CodeForbidden, "The file contains amounts, and the permission %s is missing. "+
			"An owner of the shop can grant it.", access.PricesRead)
		e.Details = map[string]any{"permission": access.PricesRead}
		x.fail(e)
	case o.Live: // its events have no amounts for this caller
		next()
	default:
		w := &amountless{ResponseWriter: x.ResponseWriter}
		x.ResponseWriter = w
		next()
		x.ResponseWriter = w.ResponseWriter
		w.send()
	}
}

// amountless holds a response until its amounts are hidden.
type amountless struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *amountless) WriteHeader(status int) { w.status = status }

func (w *amountless) Write(p []byte) (int, error) { return w.body.Write(p) }

func (w *amountless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// send sends the response without its amounts.
func (w *amountless) send() {
	h := w.Header()
	body := w.body.Bytes()
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if media == "application/json" || media == "application/problem+json" {
		body = hideAmounts(body)
	} else {
		body = []byte(money.Hide(string(body)))
	}
	if h.Get("Content-Length") != "" && w.body.Len() > 0 {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if w.status != 0 {
		w.ResponseWriter.WriteHeader(w.status)
	}
	_, _ = w.ResponseWriter.Write(body) // the client may have disconnected
}

// hideAmounts returns a JSON document without amounts. One that cannot be read is not sent.
func hideAmounts(body []byte) []byte {
	if len(body) == 0 {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil
	}
	hidden, err := json.Marshal(withoutAmounts(tree))
	if err != nil {
		return nil
	}
	return hidden
}

// amountFields are the fields of responses that have an amount without its currency.
var amountFields = []string{"amount", "minSubtotal", "price", "compareAtPrice", "cost", "codProofAbove"}

func withoutAmounts(tree any) any {
	switch tree := tree.(type) {
	case string:
		return money.Hide(tree)
	case []any:
		for i := range tree {
			tree[i] = withoutAmounts(tree[i])
		}
	case map[string]any:
		for name, value := range tree {
			tree[name] = withoutAmounts(value)
		}
		hideFields(tree)
	}
	return tree
}

// hideFields hides the amounts that an object itself has.
func hideFields(object map[string]any) {
	for _, name := range amountFields {
		if _, ok := object[name].(json.Number); ok {
			object[name] = 0
		}
	}
	if _, ok := object["formatted"]; ok {
		object["formatted"] = ""
	}
	if _, ok := object["field"]; !ok { // of the audit log, whose values have no currency
		return
	}
	for _, name := range []string{"before", "after"} {
		if _, ok := object[name].(json.Number); ok {
			object[name] = access.Secret
		}
	}
}
