package gatewayb

import (
	"cmp"

	"storefront/provider"
	"storefront/shop"
	"storefront/shop/money"
)

const (
	codeSuccess = "0000"
	codeNone    = "none" // a response without a code, from a proxy in front of bKash
)

// bKash's codes that do not simply mean a refusal.
var (
	// decidedCodes mean that the payment was completed or closed before. A query returns its status.
	decidedCodes = map[string]bool{"2062": true, "2068": true, "2116": true, "2117": true, "2119": true, "2056": true}
	// retryableCodes mean that bKash is busy or under maintenance.
	retryableCodes = map[string]bool{"2003": true, "2020": true, "2024": true, "503": true}
)

// payload is a response in one of bKash's formats.
type payload struct{ provider.Payload }

// code returns the status or error code of any of the formats.
func (p payload) code() string {
	return cmp.Or(p.Payload["statuscode"], p.Payload["errorcode"], p.Payload["internalcode"], p.Payload["externalcode"], codeNone)
}

// status returns the status of a payment. The money has moved only if the code is [codeSuccess] and
// the transaction status is Completed.
func (p payload) status(currency money.Currency) shop.GatewayStatus {
	f := p.Payload
	result := shop.GatewayStatus{
		State: shop.GatewayOpen, Ref: cmp.Or(f["merchantinvoicenumber"], f["merchantinvoice"]), TransactionID: f["trxid"],
	}
	switch code := p.code(); code {
	case codeSuccess:
	case "2060": // the buyer has not approved it yet
		return result
	case "2069":
		result.State = shop.GatewayCancelled
		return result
	case "2002", "2033": // bKash deletes payments after 24 h
		result.State = shop.GatewayExpired
		return result
	default:
		result.State, result.Reason = shop.GatewayFailed, "the gateway returned code "+code
		return result
	}
	switch p.Slug("transactionstatus", "_") {
	case "completed":
		result.State, result.Currency = shop.GatewayPaid, f["currency"]
		if result.Currency == currency.Code {
			result.Amount, result.Readable = currency.Parse(f["amount"])
		}
	case "failed", "declined":
		result.State = shop.GatewayFailed
	case "cancelled":
		result.State = shop.GatewayCancelled
	case "expired":
		result.State = shop.GatewayExpired
	}
	return result
}
