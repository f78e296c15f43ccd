// Package tiktok sends events to TikTok's Events API 2.0
// (https://business-api.tiktok.com/portal/docs?id=1771101027431425). Phone numbers are hashed in
// E.164 with the plus sign, e-mail addresses in lower case.
package tiktok

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"storefront/provider"
	"storefront/shop/conversion"
)

// DefaultAddress is the address of the API.
const DefaultAddress = "https://business-api.tiktok.com/open_api/v1.3"

// timeout is short: events are sent again.
const timeout = 10 * time.Second

// Sender sends events. Create one with [New].
type Sender struct {
	client  *provider.Client
	address string
}

// New returns a sender to the API at an address, "" for TikTok's own. Only the operator sets it.
// The timeout in cfg is ignored.
func New(cfg provider.ClientConfig, address string) *Sender {
	cfg.Timeout = timeout
	if address == "" {
		address = DefaultAddress
	}
	return &Sender{provider.NewClient(cfg), address}
}

type request struct {
	Source   string  `json:"event_source"`
	SourceID string  `json:"event_source_id"`
	TestCode string  `json:"test_event_code,omitempty"`
	Data     []event `json:"data"`
}

type event struct {
	Name       string     `json:"event"`
	Time       int64      `json:"event_time"`
	ID         string     `json:"event_id"`
	User       user       `json:"user"`
	Page       *page      `json:"page,omitempty"`
	Properties properties `json:"properties"`
}

// user has hashes, and unhashed the address and the agent.
type user struct {
	Email   string `json:"email,omitempty"`
	Phone   string `json:"phone,omitempty"`
	Address string `json:"ip,omitempty"`
	Agent   string `json:"user_agent,omitempty"`
}

type page struct {
	URL string `json:"url"`
}

type properties struct {
	Currency    string      `json:"currency"`
	Value       json.Number `json:"value"`
	ContentType string      `json:"content_type,omitempty"`
	Contents    []content   `json:"contents,omitempty"`
	OrderID     string      `json:"order_id,omitempty"`
}

type content struct {
	ID       string      `json:"content_id"`
	Quantity int64       `json:"quantity"`
	Price    json.Number `json:"price"`
}

func newEvent(e conversion.Event) event {
	out := event{
		Name: e.Name, Time: e.At.Unix(), ID: e.ID,
		User: user{
			Email: provider.Hash(conversion.NormalEmail(e.User.Email)), Phone: provider.Hash(e.User.Phone), Address: e.User.Address, Agent: e.User.Agent,
		},
		Properties: properties{Currency: e.Currency, Value: json.Number(e.Value), OrderID: e.OrderID},
	}
	if e.Page != "" {
		out.Page = &page{e.Page}
	}
	for _, c := range e.Contents {
		out.Properties.ContentType = "product"
		out.Properties.Contents = append(out.Properties.Contents, content{c.ID, c.Quantity, json.Number(c.Price)})
	}
	return out
}

// Codes of responses, which have the status 200.
const (
	codeOK          = 0
	codeTooMany     = 40100
	codeToken       = 40105
	codeNoAccess    = 40001
	firstServerCode = 50000
)

// Send implements [conversion.Sender].
func (s *Sender) Send(ctx context.Context, account conversion.Account, e conversion.Event) conversion.Answer {
	body := request{Source: "web", SourceID: account.PixelID, TestCode: account.TestCode, Data: []event{newEvent(e)}}
	header := map[string]string{"Access-Token": account.Token}
	a, resp := provider.SendEvent(ctx, s.client, s.address+"/event/track/", header, body, account.Token)
	if resp == nil || resp.Status != http.StatusOK {
		return a
	}
	var answer struct {
		Code    *int   `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(resp.Body, &answer); err != nil || answer.Code == nil {
		a.Verdict, a.Problem = conversion.Unknown, "The response does not confirm that the event was received."
		return a
	}
	switch code := *answer.Code; {
	case code == codeOK:
		return a
	case code == codeTooMany:
		a.Verdict = conversion.NotReceived
	case code >= firstServerCode:
		a.Verdict = conversion.Unknown
	default:
		a.Verdict, a.Account = conversion.Refused, code == codeToken || code == codeNoAccess
	}
	a.Problem = provider.Redact(nil, answer.Message, account.Token)
	return a
}
