// Package meta sends events to Meta's Conversions API
// (https://developers.facebook.com/docs/marketing-api/conversions-api/using-the-api). Personal data
// is normalized and hashed as its page parameters/customer-information-parameters documents it.
package meta

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/conversion"
)

// DefaultAddress is the address of the Graph API. A version of it ends after two years.
const DefaultAddress = "https://graph.facebook.com/v24.0"

// timeout is short: events are sent again.
const timeout = 10 * time.Second

// Sender sends events. Create one with [New].
type Sender struct {
	client  *provider.Client
	address string
}

// New returns a sender to the API at an address, "" for Meta's own. Only the operator sets it. The
// timeout in cfg is ignored.
func New(cfg provider.ClientConfig, address string) *Sender {
	cfg.Timeout = timeout
	if address == "" {
		address = DefaultAddress
	}
	return &Sender{provider.NewClient(cfg), address}
}

type request struct {
	Data     []event `json:"data"`
	TestCode string  `json:"test_event_code,omitempty"`
	Token    string  `json:"access_token"` // in the body: addresses are logged
}

type event struct {
	Name   string `json:"event_name"`
	Time   int64  `json:"event_time"`
	ID     string `json:"event_id"`
	Source string `json:"action_source"`
	Page   string `json:"event_source_url,omitempty"`
	User   user   `json:"user_data"`
	Custom custom `json:"custom_data"`
}

// user has hashes, and unhashed the cookies of the pixel, the address and the agent.
type user struct {
	Email   []string `json:"em,omitempty"`
	Phone   []string `json:"ph,omitempty"`
	First   []string `json:"fn,omitempty"`
	Last    []string `json:"ln,omitempty"`
	City    []string `json:"ct,omitempty"`
	Country []string `json:"country,omitempty"`
	Address string   `json:"client_ip_address,omitempty"`
	Agent   string   `json:"client_user_agent,omitempty"`
	Fbp     string   `json:"fbp,omitempty"`
	Fbc     string   `json:"fbc,omitempty"`
}

type custom struct {
	Currency    string      `json:"currency"`
	Value       json.Number `json:"value"`
	ContentType string      `json:"content_type,omitempty"`
	Contents    []content   `json:"contents,omitempty"`
	OrderID     string      `json:"order_id,omitempty"`
}

type content struct {
	ID       string      `json:"id"`
	Quantity int64       `json:"quantity"`
	Price    json.Number `json:"item_price"`
}

func hashes(text string) []string {
	if text == "" {
		return nil
	}
	return []string{provider.Hash(text)}
}

func newUser(u conversion.User) user {
	first, last := conversion.NormalName(u.Name)
	return user{
		Email: hashes(conversion.NormalEmail(u.Email)), Phone: hashes(conversion.NormalDigits(u.Phone)), First: hashes(first), Last: hashes(last),
		City: hashes(conversion.NormalWord(u.City)), Country: hashes(strings.ToLower(u.Country)),
		Address: u.Address, Agent: u.Agent, Fbp: u.Fbp, Fbc: u.Fbc,
	}
}

func newEvent(e conversion.Event) event {
	out := event{
		Name: e.Name, Time: e.At.Unix(), ID: e.ID, Source: "website", Page: e.Page, User: newUser(e.User),
		Custom: custom{Currency: e.Currency, Value: json.Number(e.Value), OrderID: e.OrderID},
	}
	if e.User.Agent == "" || e.Page == "" { // a website's event must have both
		out.Source = "other"
	}
	for _, c := range e.Contents {
		out.Custom.ContentType = "product"
		out.Custom.Contents = append(out.Custom.Contents, content{c.ID, c.Quantity, json.Number(c.Price)})
	}
	return out
}

// invalidToken is the code of an error about the access token.
const invalidToken = 190

// Send implements [conversion.Sender].
func (s *Sender) Send(ctx context.Context, account conversion.Account, e conversion.Event) conversion.Answer {
	body := request{Data: []event{newEvent(e)}, TestCode: account.TestCode, Token: account.Token}
	a, resp := provider.SendEvent(ctx, s.client, s.address+"/"+url.PathEscape(account.PixelID)+"/events", nil, body, account.Token)
	if resp == nil {
		return a
	}
	var answer struct {
		Received *int `json:"events_received"`
		Error    struct {
			Message string `json:"message"`
			Title   string `json:"error_user_title"`
			Detail  string `json:"error_user_msg"`
			Code    int    `json:"code"`
		} `json:"error"`
	}
	err := json.Unmarshal(resp.Body, &answer)
	if a.Verdict == conversion.Accepted && (err != nil || answer.Received == nil || *answer.Received != 1) {
		a.Verdict, a.Problem = conversion.Unknown, "The response does not confirm that the event was received."
	}
	if a.Verdict != conversion.Accepted && answer.Error.Message != "" {
		words := strings.Join(strings.Fields(answer.Error.Message+" "+answer.Error.Title+" "+answer.Error.Detail), " ")
		a.Problem, a.Account = provider.Redact(nil, words, account.Token), a.Account || answer.Error.Code == invalidToken
	}
	return a
}
