package gatewaya

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"storefront/provider"
	"storefront/shop"
)

func itoa(n int) string { return strconv.Itoa(n) }

// QueryStatus asks for the payment by the notice's validation id, or else by our own reference.
func (a *Adapter) QueryStatus(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	if q.ValidationID != "" {
		return a.validate(ctx, access, q)
	}
	answer, err := a.query(ctx, access, "transaction", url.Values{"tran_id": {q.Ref}})
	if err != nil {
		return shop.GatewayStatus{}, err
	}
	var list struct {
		Element []json.RawMessage `json:"element"`
	}
	if json.Unmarshal(answer.Body, &list) != nil {
		return shop.GatewayStatus{State: shop.GatewayOpen}, nil // "element" is a text where there are none
	}
	return statusOf(list.Element, access.Settings, q), nil
}

// statusOf gives what several tries at one reference come to: a paid one counts, else one that may
// still be paid, else the last.
func statusOf(elements []json.RawMessage, settings shop.PluginSettings, q shop.StatusQuery) shop.GatewayStatus {
	best := shop.GatewayStatus{State: shop.GatewayOpen}
	rank := map[shop.PaymentState]int{shop.GatewayPaid: 2, shop.GatewayOpen: 1}
	read, paid := 0, 0
	for _, element := range elements {
		p, err := provider.ReadPayload(element)
		if err != nil {
			continue
		}
		proof := parseStatus(p, settings, q)
		if read++; read == 1 || rank[proof.State] >= rank[best.State] {
			best = proof
		}
		if proof.State == shop.GatewayPaid {
			paid++
		}
	}
	if paid > 1 {
		best.ReviewReason = "the gateway shows more than one payment for this attempt"
	}
	return best
}

func (a *Adapter) validate(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	const what = "validation"
	answer, err := a.get(ctx, access, validatePath, what, url.Values{"val_id": {q.ValidationID}, "v": {"1"}})
	if err != nil {
		return shop.GatewayStatus{}, err
	}
	p, err := provider.ReadPayload(answer.Body)
	if err != nil {
		return shop.GatewayStatus{}, provider.Unreadable(what, answer)
	}
	return parseStatus(p, access.Settings, q), nil
}

// parseStatus reads one transaction.
func parseStatus(p provider.Payload, settings shop.PluginSettings, q shop.StatusQuery) shop.GatewayStatus {
	proof := shop.GatewayStatus{State: shop.GatewayOpen, Ref: p["tran_id"], TransactionID: p["bank_tran_id"]}
	switch p.Slug("status", "_") {
	case "valid", "validated":
		proof.State = shop.GatewayPaid
		proof.Currency = p["currency_type"]
		if proof.Currency == q.Currency.Code {
			proof.Amount, proof.Readable = q.Currency.Parse(p["currency_amount"])
		}
		proof.ReviewReason = reviewReason(p, settings, q)
	case "failed":
		proof.State = shop.GatewayFailed
	case "cancelled":
		proof.State = shop.GatewayCancelled
	case "expired", "unattempted":
		proof.State = shop.GatewayExpired
	}
	return proof
}

// reviewReason says what is odd about a transaction that is paid; "": nothing. An answer may leave out what
// was asked by: our reference, or the store.
func reviewReason(p provider.Payload, settings shop.PluginSettings, q shop.StatusQuery) string {
	ref, store := p["tran_id"], p["store_id"]
	switch {
	case ref != q.Ref && (ref != "" || q.ValidationID != ""):
		return "the gateway's proof is of another payment"
	case store != "" && store != settings["store_id"]:
		return "the gateway paid another store"
	case p.ID("risk_level") == "1":
		return "the gateway marks the payment as risky"
	}
	return ""
}

// query asks the transaction interface, which also makes refunds.
func (a *Adapter) query(ctx context.Context, access shop.PluginAccess, what string, values url.Values) (*provider.Response, error) {
	return a.get(ctx, access, queryPath, what, values)
}

// get asks with the store's credentials and looks at the connection's own verdict.
func (a *Adapter) get(ctx context.Context, access shop.PluginAccess, path, what string, values url.Values) (*provider.Response, error) {
	values.Set("store_id", access.Settings["store_id"])
	values.Set("store_passwd", access.Settings["store_password"])
	values.Set("format", "json")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.gateway.Base(access.Mode)+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, provider.Refused(what, "the base address is wrong")
	}
	answer, err := a.gateway.Call(req)
	if err != nil {
		return nil, err
	}
	p, err := provider.ReadPayload(answer.Body)
	if err != nil || answer.Status != http.StatusOK {
		return nil, provider.Unreadable(what, answer)
	}
	if connect := p.Slug("apiconnect", "_"); connect != "done" && connect != "" {
		return nil, provider.Refused(what, "connection "+connect)
	}
	return answer, nil
}

// Refund gives a payment back, or asks for the state of an earlier refund.
func (a *Adapter) Refund(ctx context.Context, access shop.PluginAccess, r shop.RefundRequest) (shop.RefundResult, error) {
	values := url.Values{"refund_ref_id": {r.RefundID}}
	if r.RefundID == "" {
		values = url.Values{
			"bank_tran_id": {r.TransactionID}, "refund_trans_id": {r.Ref}, "refund_amount": {r.Currency.Decimal(r.Amount)},
			"refund_remarks": {r.Reason}, "refe_id": {r.PaymentRef},
		}
	}
	answer, err := a.query(ctx, access, "refund", values)
	if err != nil {
		return shop.RefundResult{}, err
	}
	p, err := provider.ReadPayload(answer.Body)
	if err != nil {
		return shop.RefundResult{}, provider.Unreadable("refund", answer)
	}
	got := shop.RefundResult{RefundID: p["refund_ref_id"]}
	switch word := p.Slug("status", "_"); word {
	case "refunded":
		got.State = shop.RefundDone
	case "success", "processing":
		got.State = shop.RefundProcessing // begun; done when the status says refunded
	case "failed", "cancelled":
		got.State, got.Reason = shop.RefundFailed, "the gateway says "+word
		if r.Asked && r.RefundID == "" { // it takes our name for a refund once, also where its answer was lost
			got.Reason += ", perhaps because it has given it back already: look into its panel"
		}
	default:
		return shop.RefundResult{}, provider.Unreadable("refund", answer)
	}
	if got.RefundID == "" {
		got.RefundID = r.RefundID
	}
	return got, nil
}
