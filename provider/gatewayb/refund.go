package gatewayb

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"storefront/provider"
	"storefront/shop/plugin"
)

// Refund refunds an amount of the payment. bKash stores no reference of ours. If an earlier request
// may have reached it, Refund searches for a refund of the same amount that no other request
// explains. It requests a new one only if there is none or it failed.
func (a *Adapter) Refund(ctx context.Context, access plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	names := map[string]string{"paymentId": r.ExternalID, "trxId": r.TransactionID}
	if r.Requested || r.RefundID != "" {
		done, err := a.findRefund(ctx, access, names, r)
		if err != nil {
			return done, err
		}
		if done.State != plugin.RefundFailed || r.RefundID != "" {
			return done, nil
		}
	}
	names["refundAmount"], names["sku"], names["reason"] = r.Currency.Decimal(r.Amount), "order", r.Reason
	p, err := a.call(ctx, access, refundPath, "refund", names)
	if err != nil {
		return plugin.RefundResult{}, err
	}
	status := p.Payload["refundtransactionstatus"]
	switch {
	case status != "":
	case p.isRefundRefusal():
		return plugin.RefundResult{State: plugin.RefundFailed, Reason: "the gateway returned " + p.words()}, nil
	case p.isRefusal():
		return plugin.RefundResult{}, provider.Unknown("refund", p.words())
	default:
		return plugin.RefundResult{}, p.failure("refund")
	}
	result := plugin.RefundResult{State: refundState(status), RefundID: p.Payload["refundtrxid"]}
	if result.State == plugin.RefundFailed {
		result.Reason = "the gateway returned status " + provider.Slug(status, "_")
	}
	return result, nil
}

// refundState converts the status of a refund.
func refundState(status string) plugin.RefundState {
	switch provider.Slug(status, "_") {
	case "completed":
		return plugin.RefundDone
	case "failed", "declined", "cancelled", "rejected":
		return plugin.RefundFailed
	}
	return plugin.RefundProcessing
}

// listedRefund is a refund in the list of a payment's refunds.
type listedRefund struct {
	ID     string        `json:"refundTrxId"`
	Status string        `json:"refundTransactionStatus"`
	Amount provider.Text `json:"refundAmount"`
}

// findRefund returns the result of an earlier request for r, or a failed one if there is none.
func (a *Adapter) findRefund(
	ctx context.Context, access plugin.Access, names map[string]string, r plugin.RefundRequest,
) (plugin.RefundResult, error) {
	const operation = "refund status"
	resp, token, err := a.send(ctx, access, refundStatusPath, operation, names)
	if err != nil {
		return plugin.RefundResult{}, err
	}
	var list struct {
		Refunds []listedRefund `json:"refundTransactions"`
	}
	if err := json.Unmarshal(resp.Body, &list); err != nil {
		return plugin.RefundResult{}, provider.Unreadable(operation, resp)
	}
	if list.Refunds == nil {
		p, err := provider.ReadPayload(resp.Body)
		if err != nil {
			return plugin.RefundResult{}, provider.Unreadable(operation, resp)
		}
		if answer := (payload{p, resp.Status, access.Settings, token}); answer.code() != codeSuccess && answer.code() != codeNone || resp.Status >= 400 {
			return plugin.RefundResult{}, provider.Unavailable(operation, answer.words())
		}
	}
	found := plugin.RefundResult{State: plugin.RefundFailed, RefundID: r.RefundID, Reason: "the gateway lists no such refund"}
	for _, refund := range list.Refunds {
		if !refund.answers(r) {
			continue
		}
		state := refundState(refund.Status)
		if r.RefundID != "" || state == plugin.RefundDone {
			return refund.result(state), nil
		}
		if state == plugin.RefundProcessing {
			found = refund.result(state)
		}
	}
	if r.RefundID != "" && found.Reason != "" { // the list may lag behind
		return plugin.RefundResult{}, provider.Unavailable(operation, found.Reason)
	}
	return found, nil
}

func (l listedRefund) result(state plugin.RefundState) plugin.RefundResult {
	result := plugin.RefundResult{State: state, RefundID: l.ID}
	if state == plugin.RefundFailed {
		result.Reason = "the gateway lists it as " + strings.ToLower(l.Status)
	}
	return result
}

// answers reports whether the refund may belong to r. A refund without a readable amount counts,
// since a missed refund would be repeated.
func (l listedRefund) answers(r plugin.RefundRequest) bool {
	if r.RefundID != "" {
		return l.ID == r.RefundID
	}
	amount, ok := provider.ParseAmount(string(l.Amount), r.Currency)
	return !slices.Contains(r.OtherIDs, l.ID) && (!ok || amount == r.Amount)
}
