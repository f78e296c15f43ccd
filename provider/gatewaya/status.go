package gatewaya

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"storefront/provider"
	"storefront/shop/plugin"
)

// QueryStatus queries a payment by the validation ID of a webhook or else by our reference.
func (a *Adapter) QueryStatus(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	if q.ValidationID != "" {
		return a.validate(ctx, access, q)
	}
	resp, err := a.query(ctx, access, "transaction", url.Values{"tran_id": {q.Ref}})
	if err != nil {
		return plugin.GatewayStatus{}, err
	}
	var list struct {
		Element json.RawMessage `json:"element"`
	}
	if json.Unmarshal(resp.Body, &list) != nil {
		return plugin.GatewayStatus{}, provider.Unreadable("transaction", resp)
	}
	var elements []json.RawMessage
	switch text := bytes.TrimSpace(list.Element); {
	case bytes.HasPrefix(text, []byte("{")): // one transaction is sent without a list
		elements = []json.RawMessage{list.Element}
	case json.Unmarshal(list.Element, &elements) != nil:
		return plugin.GatewayStatus{State: plugin.GatewayOpen}, nil // "element" is a string if there are none
	}
	return statusOf(elements, access.Settings, q), nil
}

// Capture queries the payment: SSLCommerz captures payments by itself.
func (a *Adapter) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	return a.QueryStatus(ctx, access, q)
}

// statusOf returns the status of a payment from all transactions with its reference. A paid one
// takes precedence over an open one, and an open one over the last of the others.
func statusOf(elements []json.RawMessage, settings plugin.Settings, q plugin.StatusQuery) plugin.GatewayStatus {
	best := plugin.GatewayStatus{State: plugin.GatewayOpen}
	rank := map[plugin.PaymentState]int{plugin.GatewayPaid: 2, plugin.GatewayOpen: 1}
	count, paid := 0, 0
	for _, element := range elements {
		p, err := provider.ReadPayload(element)
		if err != nil {
			continue
		}
		status := parseStatus(p, settings, q)
		if count++; count == 1 || rank[status.State] >= rank[best.State] {
			best = status
		}
		if status.State == plugin.GatewayPaid {
			paid++
		}
	}
	if paid > 1 {
		best.ReviewReason = "the gateway has more than one payment for this attempt"
	}
	return best
}

func (a *Adapter) validate(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	const operation = "validation"
	resp, err := a.get(ctx, access, validatePath, operation, url.Values{"val_id": {q.ValidationID}, "v": {"1"}})
	if err != nil {
		return plugin.GatewayStatus{}, err
	}
	p, err := provider.ReadPayload(resp.Body)
	if err != nil {
		return plugin.GatewayStatus{}, provider.Unreadable(operation, resp)
	}
	return parseStatus(p, access.Settings, q), nil
}

// parseStatus converts one transaction. currency_amount is the amount in the currency of the order;
// amount is always in BDT.
func parseStatus(p provider.Payload, settings plugin.Settings, q plugin.StatusQuery) plugin.GatewayStatus {
	status := plugin.GatewayStatus{State: plugin.GatewayOpen, Ref: p["tran_id"], TransactionID: p["bank_tran_id"]}
	switch p.Slug("status", "_") {
	case "valid", "validated":
		status.State = plugin.GatewayPaid
		status.Currency = p["currency_type"]
		if status.Currency == q.Currency.Code {
			status.Amount, status.Readable = provider.ParseAmount(p["currency_amount"], q.Currency)
		}
		status.ReviewReason = reviewReason(p, settings, q)
	case "failed":
		status.State, status.Reason = plugin.GatewayFailed, words(settings, p, "the payment failed")
	case "cancelled":
		status.State = plugin.GatewayCancelled
	case "expired", "unattempted":
		status.State = plugin.GatewayExpired
	}
	return status
}

// reviewReason returns why staff must review a paid transaction, or "". A response may omit the
// store, and our reference if it was the key of the query.
func reviewReason(p provider.Payload, settings plugin.Settings, q plugin.StatusQuery) string {
	ref, store := p["tran_id"], p["store_id"]
	switch {
	case ref != q.Ref && (ref != "" || q.ValidationID != ""):
		return "the gateway returned another payment"
	case store != "" && store != settings["store_id"]:
		return "the payment went to another store"
	case p.ID("risk_level") == "1":
		return "the gateway flagged the payment as risky"
	}
	return ""
}

// query calls the transaction API, which also handles refunds.
func (a *Adapter) query(ctx context.Context, access plugin.Access, operation string, values url.Values) (*provider.Response, error) {
	return a.get(ctx, access, queryPath, operation, values)
}

// get sends a GET with the store's credentials and checks APIConnect, the status of the connection.
func (a *Adapter) get(ctx context.Context, access plugin.Access, path, operation string, values url.Values) (*provider.Response, error) {
	values.Set("store_id", access.Settings["store_id"])
	values.Set("store_passwd", access.Settings["store_password"])
	values.Set("format", "json")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.gateway.Base(access.Mode)+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, provider.Refused(operation, "invalid base URL")
	}
	resp, err := a.gateway.Call(req)
	if err != nil {
		return nil, err
	}
	p, err := provider.ReadPayload(resp.Body)
	if err != nil || resp.Status != http.StatusOK {
		return nil, provider.Unreadable(operation, resp)
	}
	if connect := p.Slug("apiconnect", "_"); connect != "done" && connect != "" {
		return nil, provider.Refused(operation, words(access.Settings, p, "connection "+connect))
	}
	return resp, nil
}

// Refund requests a refund, or queries the status of an earlier one if r has its RefundID.
func (a *Adapter) Refund(ctx context.Context, access plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	values := url.Values{"refund_ref_id": {r.RefundID}}
	if r.RefundID == "" {
		values = url.Values{
			"bank_tran_id": {r.TransactionID}, "refund_trans_id": {r.Ref}, "refund_amount": {r.Currency.Decimal(r.Amount)},
			"refund_remarks": {r.Reason}, "refe_id": {r.PaymentRef},
		}
	}
	resp, err := a.query(ctx, access, "refund", values)
	if err != nil {
		return plugin.RefundResult{}, err
	}
	p, err := provider.ReadPayload(resp.Body)
	if err != nil {
		return plugin.RefundResult{}, provider.Unreadable("refund", resp)
	}
	result := plugin.RefundResult{RefundID: p["refund_ref_id"]}
	switch status := p.Slug("status", "_"); status {
	case "refunded":
		result.State = plugin.RefundDone
	case "success", "processing":
		result.State = plugin.RefundProcessing // initiated, completed once the status is refunded
	case "failed", "cancelled":
		result.State, result.Reason = plugin.RefundFailed, words(access.Settings, p, "the gateway returned status "+status)
		if r.Requested && r.RefundID == "" { // a refund reference works once, even if the response was lost
			result.State = plugin.RefundUnclear
			result.Reason += ", possibly because it has already refunded the amount: check its panel"
		}
	default:
		return plugin.RefundResult{}, provider.Unknown("refund", words(access.Settings, p, "status "+status))
	}
	if result.RefundID == "" {
		result.RefundID = r.RefundID
	}
	return result, nil
}
