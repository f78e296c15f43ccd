package gatewayb

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// bKash's codes. A code that is in none of the lists below is not final: the money may have moved,
// or may still move, so the payment or the refund is queried again.
const (
	codeSuccess     = "0000"
	codeNone        = "none" // a response without a code, from a proxy in front of bKash
	codeMaintenance = "503"
	codeNotApproved = "2060" // the buyer has not approved the payment yet
	codeCancelled   = "2069"
)

var (
	// codesGone mean that bKash does not have the payment, which it deletes after 24 hours.
	codesGone = []string{"2002", "2033"}
	// codesBuyer mean that the buyer could not pay: wrong PIN or OTP, blocked wallet, no balance.
	codesBuyer = []string{
		"2010", "2011", "2013", "2014", "2015", "2016", "2017", "2018", "2019", "2023", "2057", "2058", "2059",
	}
	// codesRefund mean that bKash makes no refund: invalid credentials or values, the merchant's
	// balance, and its rules for refunds.
	codesRefund = []string{
		"2001", "2002", "2006", "2007", "2023", "2033", "2065",
		"2071", "2072", "2073", "2074", "2075", "2076", "2077", "2078", "2079", "2080", "2081", "2082", "2127",
	}
	// codesUndecided are not final although their first digits suggest a refusal.
	codesUndecided = []string{"2003", "2020", "2024"}
)

// payload is a response in one of bKash's formats.
type payload struct {
	provider.Payload
	httpStatus int
	settings   plugin.Settings // hidden in messages, as is token
	token      string
}

// code returns the status or error code of any of the formats.
func (p payload) code() string {
	return cmp.Or(p.Payload["statuscode"], p.Payload["errorcode"], p.Payload["externalcode"], p.Payload["internalcode"], codeNone)
}

// words returns the code with bKash's message, for staff members.
func (p payload) words() string {
	f := p.Payload
	message := cmp.Or(f["statusmessage"], f["errormessage"], f["errormessageen"], f["message"], f["msg"])
	words := "code " + p.code()
	if p.code() == codeNone {
		words = fmt.Sprintf("status %d without a code", p.httpStatus)
	}
	if message != "" {
		words += ": " + provider.Redact(p.settings, message, p.token)
	}
	return words
}

// isRefusal reports whether the code is a final refusal of a request.
func (p payload) isRefusal() bool {
	code := p.code()
	if code == codeNone { // bKash's API gateway refuses malformed requests without a code
		return p.httpStatus >= http.StatusBadRequest && p.httpStatus < http.StatusInternalServerError && p.httpStatus != http.StatusTooManyRequests
	}
	return len(code) == 4 && strings.HasPrefix(code, "2") && !slices.Contains(codesUndecided, code)
}

// isRefundRefusal reports whether bKash certainly makes no refund. A code that is unknown for
// refunds, such as the code of a duplicate, leaves it open.
func (p payload) isRefundRefusal() bool {
	return p.isRefusal() && (p.code() == codeNone || slices.Contains(codesRefund, p.code()))
}

// failure returns the error of an unsuccessful response to operation.
func (p payload) failure(operation string) error {
	switch {
	case p.isRefusal():
		return provider.Refused(operation, p.words())
	case p.code() == codeMaintenance, p.httpStatus == http.StatusTooManyRequests:
		return provider.Unavailable(operation, p.words())
	}
	return provider.Unknown(operation, p.words())
}

// status returns the status of a payment. final is false if it is unknown whether the money has
// moved. It has moved only if the code is [codeSuccess] and the transaction status is Completed.
func (p payload) status(currency money.Currency) (result plugin.GatewayStatus, final bool) {
	f := p.Payload
	result = plugin.GatewayStatus{
		State: plugin.GatewayOpen, Ref: cmp.Or(f["merchantinvoicenumber"], f["merchantinvoice"]), TransactionID: f["trxid"],
	}
	switch code := p.code(); {
	case code == codeSuccess:
	case code == codeNotApproved:
		return result, true
	case code == codeCancelled:
		result.State = plugin.GatewayCancelled
	case slices.Contains(codesGone, code):
		result.State = plugin.GatewayExpired
	case slices.Contains(codesBuyer, code):
		result.State = plugin.GatewayFailed
	default:
		return result, false
	}
	if p.code() != codeSuccess {
		result.Reason = "the gateway returned " + p.words()
		return result, true
	}
	switch p.Slug("transactionstatus", "_") {
	case "completed":
		result.State, result.Currency = plugin.GatewayPaid, f["currency"]
		if result.Currency == currency.Code {
			result.Amount, result.Readable = provider.ParseAmount(f["amount"], currency)
		}
	case "failed", "declined":
		result.State = plugin.GatewayFailed
	case "cancelled":
		result.State = plugin.GatewayCancelled
	case "expired":
		result.State = plugin.GatewayExpired
	}
	return result, true
}
