package gatewayb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

const (
	checkoutPath     = "/v1.2.0-beta/tokenized/checkout"
	refundPath       = "/v2/tokenized-checkout/refund/payment/transaction"
	refundStatusPath = "/v2/tokenized-checkout/refund/payment/status"
)

// Config configures the adapter. An empty URL means bKash's own.
type Config struct {
	Client        *provider.Client // must be set; bKash may take 30 s to respond
	Live, Sandbox string           // base URLs without a trailing slash
	Now           func() time.Time // nil means time.Now
}

// Adapter implements [plugin.Gateway] and [plugin.Checker]. It is safe for concurrent use.
type Adapter struct {
	gateway provider.Gateway
	now     func() time.Time

	mu       sync.Mutex
	renewing map[string]*sync.Mutex // by merchant, so that token requests do not overlap
}

// New returns an Adapter configured by cfg.
func New(cfg Config) *Adapter {
	a := &Adapter{
		gateway: provider.Gateway{
			Client: cfg.Client, Live: cfg.Live, Sandbox: cfg.Sandbox,
			DefaultURLs: map[plugin.Mode]string{
				plugin.Live: "https://tokenized.pay.bka.sh", plugin.Sandbox: "https://tokenized.sandbox.bka.sh",
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

// Plugin returns the plugin of gateway_b.
func (a *Adapter) Plugin() plugin.Plugin {
	needed := []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanPay}
	return plugin.Plugin{
		Provider: plugin.GatewayB,
		Keys: []plugin.Key{
			{Name: "username", Meaning: "Username, as issued by the gateway", PerMode: true, For: needed},
			{Name: "password", Meaning: "Password, as issued by the gateway", Secret: true, PerMode: true, For: needed},
			{Name: "app_key", Meaning: "App key, as issued by the gateway", Secret: true, PerMode: true, For: needed},
			{Name: "app_secret", Meaning: "App secret, as issued by the gateway", Secret: true, PerMode: true, For: needed},
		},
		Checker: a, Gateway: a,
		Accepts: func(amount int64, currency money.Currency) bool { return amount >= 100 && currency.Code == "BDT" },
	}
}

// Start creates a payment and returns the URL of bKash's payment page.
func (a *Adapter) Start(ctx context.Context, access plugin.Access, o plugin.PaymentStart) (plugin.StartedPayment, error) {
	const operation = "create"
	p, err := a.call(ctx, access, checkoutPath+"/create", operation, map[string]string{
		"mode": "0011", "payerReference": o.Invoice, "callbackURL": o.ReturnURL, "amount": o.Currency.Decimal(o.Amount),
		"currency": o.Currency.Code, "intent": "sale", "merchantInvoiceNumber": o.Ref,
	})
	if err != nil {
		return plugin.StartedPayment{}, err
	}
	if p.code() != codeSuccess {
		return plugin.StartedPayment{}, p.failure(operation)
	}
	if p.Payload["paymentid"] == "" {
		return plugin.StartedPayment{}, provider.Refused(operation, "the response has no payment ID")
	}
	if err := a.gateway.CheckPage(access.Mode, p.Payload["bkashurl"]); err != nil {
		return plugin.StartedPayment{}, provider.Refused(operation, err.Error())
	}
	started := plugin.StartedPayment{ExternalID: p.Payload["paymentid"], RedirectURL: p.Payload["bkashurl"]}
	// The signature is the same in all three callback URLs.
	if callback, err := url.Parse(p.Payload["successcallbackurl"]); err == nil {
		started.Signature = callback.Query().Get("signature")
	}
	return started, nil
}

// QueryStatus queries the status of the payment.
func (a *Adapter) QueryStatus(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	p, err := a.call(ctx, access, checkoutPath+"/payment/status", "query", map[string]string{"paymentID": q.ExternalID})
	if err != nil {
		return plugin.GatewayStatus{}, err
	}
	status, final := p.status(q.Currency)
	if !final {
		return plugin.GatewayStatus{}, provider.Unavailable("query", p.words())
	}
	return status, nil
}

// Capture executes the payment. Unless the response is final, Capture queries the status once, as
// bKash documents: a second execution could move the money twice.
func (a *Adapter) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	p, lost := a.call(ctx, access, checkoutPath+"/execute", "execute", map[string]string{"paymentID": q.ExternalID})
	if errors.Is(lost, plugin.ErrGatewayRefused) || errors.Is(lost, plugin.ErrGatewayUnavailable) {
		return plugin.GatewayStatus{}, lost
	}
	unknown := lost // the money may have moved
	if lost == nil {
		status, final := p.status(q.Currency)
		if final {
			return status, nil
		}
		unknown = provider.Unknown("execute", p.words())
	}
	status, err := a.QueryStatus(ctx, access, q)
	if err != nil {
		return plugin.GatewayStatus{}, unknown
	}
	if status.State == plugin.GatewayOpen && lost != nil { // the money may still move
		return plugin.GatewayStatus{}, lost
	}
	return status, nil
}

// Check verifies the credentials by querying a payment that does not exist.
func (a *Adapter) Check(ctx context.Context, access plugin.Access) error {
	p, err := a.call(ctx, access, checkoutPath+"/payment/status", "credentials", map[string]string{"paymentID": "storefront-check"})
	if err != nil {
		return err
	}
	if _, final := p.status(money.Currency{}); !final {
		return p.failure("credentials")
	}
	return nil
}

// call sends a request with a token and parses a response of any status below 500, because bKash
// sends errors with every status.
func (a *Adapter) call(ctx context.Context, access plugin.Access, path, operation string, fields map[string]string) (payload, error) {
	resp, token, err := a.send(ctx, access, path, operation, fields)
	if err != nil {
		return payload{}, err
	}
	p, err := provider.ReadPayload(resp.Body)
	if err != nil || resp.Status >= http.StatusInternalServerError && p["statuscode"] == "" && p["errorcode"] == "" {
		return payload{}, provider.Unreadable(operation, resp)
	}
	return payload{p, resp.Status, access.Settings, token}, nil
}

// send posts fields with a token, which it returns. If bKash rejects the token, send retries once
// with another one.
func (a *Adapter) send(
	ctx context.Context, access plugin.Access, path, operation string, fields map[string]string,
) (resp *provider.Response, token string, err error) {
	refused := ""
	for {
		if token, err = a.token(ctx, access, refused); err != nil {
			return nil, "", err
		}
		resp, err = a.post(ctx, access, path, fields, http.Header{
			"Authorization": {token}, "X-App-Key": {access.Settings["app_key"]},
		})
		if err != nil {
			return nil, "", err
		}
		if resp.Status != http.StatusUnauthorized && resp.Status != http.StatusForbidden {
			return resp, token, nil
		}
		if refused != "" {
			return nil, "", provider.Refused(operation, rejection(access.Settings, resp, token))
		}
		refused = token
	}
}

// rejection returns bKash's reason for rejecting the token, for staff members.
func rejection(settings plugin.Settings, resp *provider.Response, token string) string {
	reason := fmt.Sprintf("the gateway rejects the credentials with status %d", resp.Status)
	if p, err := provider.ReadPayload(resp.Body); err == nil && p["message"] != "" {
		reason += ": " + provider.Redact(settings, p["message"], token)
	}
	return reason
}

func (a *Adapter) post(
	ctx context.Context, access plugin.Access, path string, fields map[string]string, header http.Header,
) (*provider.Response, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, provider.Refused("request", "invalid fields")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.gateway.Base(access.Mode)+path, bytes.NewReader(body))
	if err != nil {
		return nil, provider.Refused("request", "invalid base URL")
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	return a.gateway.Call(req)
}
