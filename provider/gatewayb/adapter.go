package gatewayb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop"
)

const (
	checkoutPath     = "/v1.2.0-beta/tokenized/checkout"
	refundPath       = "/v2/tokenized-checkout/refund/payment/transaction"
	refundStatusPath = "/v2/tokenized-checkout/refund/payment/status"
)

// Config says where the provider is. The zero value of an address is the provider's own.
type Config struct {
	Client        *provider.Client // must be set; the provider may take 30 s to answer
	Live, Sandbox string           // base addresses
	Now           func() time.Time // nil: time.Now
}

// Adapter is the provider as a [shop.Gateway] and [shop.Checker]. It is safe for concurrent use.
type Adapter struct {
	gateway provider.Gateway
	now     func() time.Time

	mu       sync.Mutex
	renewing map[string]*sync.Mutex // by merchant: one token at a time is asked for
}

// New makes an Adapter.
func New(cfg Config) *Adapter {
	a := &Adapter{
		gateway: provider.Gateway{
			Client: cfg.Client, Live: cfg.Live, Sandbox: cfg.Sandbox,
			DefaultURLs: map[shop.Mode]string{
				shop.Live: "https://tokenized.pay.bka.sh", shop.Sandbox: "https://tokenized.sandbox.bka.sh",
			},
			PageHosts: []string{"bka.sh", "bkash.com"},
		},
		now:      cfg.Now,
		renewing: map[string]*sync.Mutex{},
	}
	if a.now == nil {
		a.now = time.Now
	}
	return a
}

// Plugin gives what stands for the provider in a shop.
func (a *Adapter) Plugin() shop.Plugin {
	needed := []shop.Capability{shop.CanReceiveWebhooks, shop.CanPay}
	return shop.Plugin{
		Provider: shop.GatewayB,
		Keys: []shop.PluginKey{
			{Name: "username", Meaning: "User name, from the gateway's letter", PerMode: true, For: needed},
			{Name: "password", Meaning: "Password, from the gateway's letter", Secret: true, PerMode: true, For: needed},
			{Name: "app_key", Meaning: "App key, from the gateway's letter", Secret: true, PerMode: true, For: needed},
			{Name: "app_secret", Meaning: "App secret, from the gateway's letter", Secret: true, PerMode: true, For: needed},
		},
		Checker: a, Gateway: a,
		Accepts: func(amount int64, money shop.Currency) bool { return amount >= 100 && money.Code == "BDT" },
	}
}

// Start creates a payment and gives the provider's page.
func (a *Adapter) Start(ctx context.Context, access shop.PluginAccess, o shop.PaymentStart) (shop.StartedPayment, error) {
	const what = "create"
	p, err := a.call(ctx, access, checkoutPath+"/create", what, map[string]string{
		"mode": "0011", "payerReference": o.Invoice, "callbackURL": o.ReturnURL, "amount": o.Currency.Decimal(o.Amount),
		"currency": o.Currency.Code, "intent": "sale", "merchantInvoiceNumber": o.Ref,
	})
	if err != nil {
		return shop.StartedPayment{}, err
	}
	if code := p.code(); code != codeSuccess {
		return shop.StartedPayment{}, provider.Refused(what, "code "+code)
	}
	if p.Payload["paymentid"] == "" {
		return shop.StartedPayment{}, provider.Refused(what, "it names no payment")
	}
	if err := a.gateway.CheckPage(access.Mode, p.Payload["bkashurl"]); err != nil {
		return shop.StartedPayment{}, provider.Refused(what, err.Error())
	}
	started := shop.StartedPayment{ExternalID: p.Payload["paymentid"], RedirectURL: p.Payload["bkashurl"]}
	// The same in all three addresses that it will send the buyer back to.
	if back, err := url.Parse(p.Payload["successcallbackurl"]); err == nil {
		started.Signature = back.Query().Get("signature")
	}
	return started, nil
}

// QueryStatus executes the payment where the question says so, and asks about it otherwise. An execution
// without an answer is asked about once: executing again could move the money twice.
func (a *Adapter) QueryStatus(ctx context.Context, access shop.PluginAccess, q shop.StatusQuery) (shop.GatewayStatus, error) {
	var lost error // the execution's answer: the money may move yet
	if q.Capture {
		p, err := a.call(ctx, access, checkoutPath+"/execute", "execute", map[string]string{"paymentID": q.ExternalID})
		switch lost = err; {
		case errors.Is(err, shop.ErrGatewayRefused):
			return shop.GatewayStatus{}, err
		case err == nil && p.code() != codeNone && !alreadyDecided[p.code()] && !isRetryable[p.code()]:
			return p.status(q.Currency), nil
		}
	}
	p, err := a.call(ctx, access, checkoutPath+"/payment/status", "query", map[string]string{"paymentID": q.ExternalID})
	if err == nil && (isRetryable[p.code()] || p.code() == codeNone) {
		err = provider.Refused("query", "code "+p.code())
	}
	if err != nil {
		return shop.GatewayStatus{}, cmp.Or(lost, err)
	}
	proof := p.status(q.Currency)
	if proof.State == shop.GatewayOpen && lost != nil {
		return shop.GatewayStatus{}, lost
	}
	return proof, nil
}

// Refund gives a payment back whole. Where an earlier request may have arrived it looks first, and
// asks anew only where there is none or it has failed.
func (a *Adapter) Refund(ctx context.Context, access shop.PluginAccess, r shop.RefundRequest) (shop.RefundResult, error) {
	names := map[string]string{"paymentId": r.ExternalID, "trxId": r.TransactionID}
	if r.Asked || r.RefundID != "" {
		done, err := a.findRefund(ctx, access, names)
		if err != nil || done.State != shop.RefundFailed {
			return done, err
		}
	}
	names["refundAmount"], names["sku"], names["reason"] = r.Currency.Decimal(r.Amount), "order", r.Reason
	p, err := a.call(ctx, access, refundPath, "refund", names)
	if err != nil {
		return shop.RefundResult{}, err
	}
	answer := shop.RefundResult{State: refundState(p.Payload["refundtransactionstatus"]), RefundID: p.Payload["refundtrxid"]}
	if answer.State == shop.RefundFailed {
		answer.Reason = "the gateway says code " + p.code()
	}
	return answer, nil
}

// refundState reads the state of a refund; one without a state is none.
func refundState(status string) shop.RefundState {
	switch provider.Slug(status, "_") {
	case "completed":
		return shop.RefundDone
	case "", "failed", "declined", "cancelled", "rejected":
		return shop.RefundFailed
	}
	return shop.RefundProcessing
}

// findRefund gives what the earlier requests came to, failed where there are none.
func (a *Adapter) findRefund(ctx context.Context, access shop.PluginAccess, names map[string]string) (shop.RefundResult, error) {
	answer, err := a.send(ctx, access, refundStatusPath, "refund status", names)
	if err != nil {
		return shop.RefundResult{}, err
	}
	var list struct {
		Refunds []struct {
			ID     string `json:"refundTrxId"`
			Status string `json:"refundTransactionStatus"`
		} `json:"refundTransactions"`
	}
	if err := json.Unmarshal(answer.Body, &list); err != nil {
		return shop.RefundResult{}, provider.Unreadable("refund status", answer)
	}
	found := shop.RefundResult{State: shop.RefundFailed}
	for _, refund := range list.Refunds {
		switch state := refundState(refund.Status); state {
		case shop.RefundDone:
			return shop.RefundResult{State: state, RefundID: refund.ID}, nil
		case shop.RefundProcessing:
			found = shop.RefundResult{State: state, RefundID: refund.ID}
		}
	}
	return found, nil
}

// Check asks for a token, or uses the one that there is.
func (a *Adapter) Check(ctx context.Context, access shop.PluginAccess) error {
	_, err := a.token(ctx, access, "")
	return err
}

// call sends a request with a token and reads the answer as an object, whatever its status:
// this provider puts its errors into answers of every status.
func (a *Adapter) call(ctx context.Context, access shop.PluginAccess, path, what string, fields map[string]string) (payload, error) {
	answer, err := a.send(ctx, access, path, what, fields)
	if err != nil {
		return payload{}, err
	}
	p, err := provider.ReadPayload(answer.Body)
	if err != nil || answer.Status >= http.StatusInternalServerError {
		return payload{}, provider.Unreadable(what, answer)
	}
	return payload{p}, nil
}

func (a *Adapter) send(ctx context.Context, access shop.PluginAccess, path, what string, fields map[string]string) (*provider.Response, error) {
	refused := ""
	for {
		token, err := a.token(ctx, access, refused)
		if err != nil {
			return nil, err
		}
		answer, err := a.post(ctx, access, path, fields, http.Header{
			"Authorization": {token}, "X-App-Key": {access.Settings["app_key"]},
		})
		if err != nil {
			return nil, err
		}
		if answer.Status != http.StatusUnauthorized && answer.Status != http.StatusForbidden {
			return answer, nil
		}
		if refused != "" {
			return nil, provider.Refused(what, "the credentials do not pass")
		}
		refused = token
	}
}

func (a *Adapter) post(ctx context.Context, access shop.PluginAccess, path string, fields map[string]string, header http.Header) (*provider.Response, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, provider.Refused("request", "it can not be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.gateway.Base(access.Mode)+path, bytes.NewReader(body))
	if err != nil {
		return nil, provider.Refused("request", "the base address is wrong")
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	return a.gateway.Call(req)
}
