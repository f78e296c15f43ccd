package gatewayb

import (
	"cmp"

	"storefront/provider"
	"storefront/shop"
)

const (
	codeSuccess = "0000"
	codeNone    = "none" // of an answer that comes from something before the provider, and tells nothing
)

// What the provider's codes mean beside a plain no.
var (
	// alreadyDecided: something was decided before; asking tells what.
	alreadyDecided = map[string]bool{"2062": true, "2068": true, "2116": true, "2117": true, "2119": true, "2056": true}
	// isRetryable: the provider is busy or being repaired.
	isRetryable = map[string]bool{"2003": true, "2020": true, "2024": true, "503": true}
)

// payload is an answer in one of the provider's envelopes.
type payload struct{ provider.Payload }

// code gives the code of an answer, from whichever envelope it came in.
func (p payload) code() string {
	return cmp.Or(p.Payload["statuscode"], p.Payload["errorcode"], p.Payload["internalcode"], p.Payload["externalcode"], codeNone)
}

// status reads what an answer says of a payment. Money has moved where code and status both say so.
func (p payload) status(money shop.Currency) shop.GatewayStatus {
	f := p.Payload
	proof := shop.GatewayStatus{
		State: shop.GatewayOpen, Ref: cmp.Or(f["merchantinvoicenumber"], f["merchantinvoice"]), TransactionID: f["trxid"],
	}
	switch code := p.code(); code {
	case codeSuccess:
	case "2060": // the buyer has not agreed yet
		return proof
	case "2069":
		proof.State = shop.GatewayCancelled
		return proof
	case "2002", "2033": // it forgets payments after a day
		proof.State = shop.GatewayExpired
		return proof
	default:
		proof.State, proof.Reason = shop.GatewayFailed, "the gateway says code "+code
		return proof
	}
	switch p.Slug("transactionstatus", "_") {
	case "completed":
		proof.State, proof.Currency = shop.GatewayPaid, f["currency"]
		if proof.Currency == money.Code {
			proof.Amount, proof.Readable = money.Parse(f["amount"])
		}
	case "failed", "declined":
		proof.State = shop.GatewayFailed
	case "cancelled":
		proof.State = shop.GatewayCancelled
	case "expired":
		proof.State = shop.GatewayExpired
	}
	return proof
}
