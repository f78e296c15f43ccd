package gatewaya

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// SSLCommerz's limits of an amount, in taka.
const (
	minTaka = 10
	maxTaka = 500_000
)

const (
	sessionPath  = "/gwprocess/v4/api.php"
	validatePath = "/validator/api/validationserverAPI.php"
	queryPath    = "/validator/api/merchantTransIDvalidationAPI.php"
)

// Config configures the adapter. An empty URL means SSLCommerz's own.
type Config struct {
	Client        *provider.Client // must be set
	Live, Sandbox string           // base URLs without a trailing slash
}

// Adapter implements [plugin.Gateway], [plugin.Checker] and [plugin.PaymentWebhookReader]. It is
// safe for concurrent use.
type Adapter struct{ gateway provider.Gateway }

// New returns an Adapter configured by cfg.
func New(cfg Config) *Adapter {
	return &Adapter{provider.Gateway{
		Client: cfg.Client, Live: cfg.Live, Sandbox: cfg.Sandbox,
		DefaultURLs: map[plugin.Mode]string{
			plugin.Live: "https://securepay.sslcommerz.com", plugin.Sandbox: "https://sandbox.sslcommerz.com",
		},
		PageHosts: []string{"sslcommerz.com"},
	}}
}

// Plugin returns the plugin of gateway_a.
func (a *Adapter) Plugin() plugin.Plugin {
	needed := []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanPay}
	return plugin.Plugin{
		Provider: plugin.GatewayA,
		Keys: []plugin.Key{
			{Name: "store_id", Meaning: "Store ID, as issued by the gateway", PerMode: true, For: needed, Check: checkLength},
			{
				Name:    "store_password",
				Meaning: "Store password, as issued by the gateway",
				Secret:  true,
				PerMode: true,
				For:     needed,
				Check:   checkLength,
			},
		},
		Checker: a, Gateway: a, PaymentWebhooks: a, Accepts: accepts,
	}
}

func checkLength(value string) error {
	if len(value) > 100 {
		return errors.New("must not exceed 100 bytes")
	}
	return nil
}

// accepts reports whether the gateway accepts an amount. Its limits apply to BDT only.
func accepts(amount int64, currency money.Currency) bool {
	if currency.Code != "BDT" {
		return amount > 0
	}
	const minor = 100
	return amount >= minTaka*minor && amount <= maxTaka*minor
}

// Start creates a session and returns the URL of the gateway's payment page.
func (a *Adapter) Start(ctx context.Context, access plugin.Access, order plugin.PaymentStart) (plugin.StartedPayment, error) {
	const operation = "session"
	form := sessionForm(access.Settings, order)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.gateway.Base(access.Mode)+sessionPath, strings.NewReader(form.Encode()))
	if err != nil {
		return plugin.StartedPayment{}, provider.Refused(operation, "invalid base URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := a.gateway.Call(req)
	if err != nil {
		return plugin.StartedPayment{}, err
	}
	p, err := provider.ReadPayload(resp.Body)
	if err != nil || resp.Status != http.StatusOK {
		return plugin.StartedPayment{}, provider.Unreadable(operation, resp)
	}
	if p.Slug("status", "_") != "success" || p["gatewaypageurl"] == "" {
		return plugin.StartedPayment{}, provider.Refused(operation, words(access.Settings, p, "status "+p.Slug("status", "_"), buyerOf(order)...))
	}
	if err := a.gateway.CheckPage(access.Mode, p["gatewaypageurl"]); err != nil {
		return plugin.StartedPayment{}, provider.Refused(operation, err.Error())
	}
	return plugin.StartedPayment{ExternalID: p["sessionkey"], RedirectURL: p["gatewaypageurl"]}, nil
}

// words returns a description with the gateway's own explanation, for staff members. It masks the
// settings and other values that the gateway may quote.
func words(settings plugin.Settings, p provider.Payload, what string, hidden ...string) string {
	message := cmp.Or(p["failedreason"], p["errorreason"], p["error"], p["error_reason"], p["message"])
	if message == "" {
		return what
	}
	return what + ": " + provider.Redact(settings, message, hidden...)
}

// buyerOf returns the buyer's data in a request.
func buyerOf(o plugin.PaymentStart) []string {
	return []string{o.Name, o.Phone, strings.TrimPrefix(o.Phone, "+"), o.Email, o.Line1}
}

// maxBuyerField is the maximum length of a field about the buyer, in characters.
const maxBuyerField = 50

// sessionForm returns the fields of the session request. Required fields that the order lacks get
// placeholders.
func sessionForm(settings plugin.Settings, o plugin.PaymentStart) url.Values {
	cut := func(text string) string {
		if runes := []rune(text); len(runes) > maxBuyerField {
			text = string(runes[:maxBuyerField])
		}
		return text
	}
	email := cmp.Or(o.Email, "none@example.com")
	if len(email) > maxBuyerField { // a truncated address would belong to somebody else
		email = "none@example.com"
	}
	returnURL := func(result string) string { return o.ReturnURL + "?result=" + result }
	form := url.Values{}
	for name, value := range map[string]string{
		"store_id": settings["store_id"], "store_passwd": settings["store_password"],
		"total_amount": o.Currency.Decimal(o.Amount), "currency": o.Currency.Code, "tran_id": o.Ref,
		"success_url": returnURL("success"), "fail_url": returnURL("failed"), "cancel_url": returnURL("cancelled"), "ipn_url": o.WebhookURL,
		"product_name": o.Title, "product_category": "goods", "product_profile": "physical-goods",
		"cus_name": cut(o.Name), "cus_phone": o.Phone, "cus_email": email,
		"cus_add1": cut(o.Line1), "cus_city": cut(o.City), "cus_postcode": cut(cmp.Or(o.Postcode, "0000")), "cus_country": o.Country,
		"shipping_method": "NO", "num_of_item": strconv.Itoa(o.Items), "value_a": o.Invoice,
	} {
		form.Set(name, value)
	}
	return form
}

// Check verifies the credentials by querying a payment that does not exist.
func (a *Adapter) Check(ctx context.Context, access plugin.Access) error {
	resp, err := a.query(ctx, access, "credentials", url.Values{"tran_id": {"storefront-check"}})
	if err != nil {
		return err
	}
	if p, err := provider.ReadPayload(resp.Body); err != nil || p["apiconnect"] == "" {
		return provider.Unknown("credentials", "the response does not contain APIConnect")
	}
	return nil
}
