package message

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/sender"
)

// Record is a message to a buyer in the form for staff members. Its text is not stored.
type Record struct {
	OrderNumber int64     `json:"orderNumber"`
	OrderID     string    `json:"orderId"`
	Event       Event     `json:"event"`
	Channel     Channel   `json:"channel"`
	Status      Status    `json:"status"`
	Reason      string    `json:"reason"` // the reason if it failed or was skipped; "" otherwise
	Attempts    int       `json:"attempts"`
	MessageID   string    `json:"messageId"`
	Segments    int       `json:"segments"` // billed
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// Filter selects messages to buyers. The zero value selects the first page of all.
type Filter struct {
	page.Request
	OrderNumber int64    `query:"orderNumber" doc:"Only about this order"`
	Status      []Status `query:"status,explode" doc:"Only with one of these statuses"`
}

// ListBuyerMessages returns one page of the messages to buyers, newest first. Codes:
// validation_failed, unauthenticated, forbidden.
func (m *Messages) ListBuyerMessages(
	ctx context.Context, caller access.Caller, filter Filter,
) (*page.List[Record], error) {
	list := func(tx *db.Tx, _ access.Staff) (*page.List[Record], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		nodes, count, err := listMessages(tx, filter, w)
		if err != nil {
			return nil, err
		}
		return &page.List[Record]{Nodes: nodes, Meta: w.ListMetaFor(count, len(nodes))}, nil
	}
	return access.ReadMany(ctx, m.cfg.Data, caller, access.ToListBuyerMessages, list)
}

// Template is a text with its length in billed messages.
type Template struct {
	Event    Event           `json:"event"`
	Language locale.Language `json:"language"`
	Own      bool            `json:"own"` // the shop's own
	Text     string          `json:"text"`
	Segments int             `json:"segments"` // of the example
	Channels []Channel       `json:"channels"` // enabled ones
	// Example has the values of the order in examples.
	Example Values `json:"example"  doc:"Values of the placeholders in the example with the counted segments"`
}

// ListMessageTemplates returns the templates of messages in both languages. Codes: unauthenticated,
// forbidden.
func (m *Messages) ListMessageTemplates(
	ctx context.Context,
	caller access.Caller,
) ([]Template, error) {
	if err := access.Permit(ctx, m.cfg.Data, caller, access.ToListMessageTemplates); err != nil {
		return nil, err
	}
	shop, err := m.cfg.Shop(ctx)
	if err != nil {
		return nil, err
	}
	var list []Template
	for _, event := range Events() {
		for _, language := range []locale.Language{locale.English, locale.Bangla} {
			text, example := shop.template(event, language), shop.example(event, language)
			list = append(list, Template{
				Event: event, Language: language, Text: text, Example: *example,
				Own: shop.Settings.Templates[event][language] != "",
				Segments: sender.Segments(
					example.fill(text),
				), Channels: shop.Settings.channelsOf(event),
			})
		}
	}
	return list, nil
}

// SendTestMessage sends an example of the message about an event to a phone number or an e-mail
// address. It does not count towards the budget, but is limited by [sender.LimitTests]. Codes:
// validation_failed, rate_limited, sms_unavailable, email_unavailable, unauthenticated, forbidden.
func (m *Messages) SendTestMessage(
	ctx context.Context, caller access.Caller, event Event, to string,
) (messageID, text string, err error) {
	shop, err := m.cfg.Shop(ctx)
	if err != nil {
		return "", "", err
	}
	prepare := func(tx *db.Tx, who access.Staff) (sender.Email, error) {
		template := shop.template(event, shop.Language)
		if template == "" {
			var bad fault.Invalid
			bad.Add("event", fault.CodeInvalidValue, "%s", mustBeEvent())
			return sender.Email{}, bad.Err()
		}
		if err := sender.LimitTests(tx, access.ToSendTestMessage); err != nil {
			return sender.Email{}, err
		}
		values := shop.example(event, shop.Language)
		example := sender.Email{Subject: shop.subject(exampleOrder()), Text: values.fill(template)}
		html, err := shop.html(tx, exampleOrder(), example.Text, values.Link)
		if err != nil {
			return sender.Email{}, err
		}
		example.HTML = html
		return example, who.Audit(
			tx,
			access.Subject{Kind: access.SubjectMessage, ID: string(event)},
		)
	}
	example, err := access.Write(ctx, m.cfg.Data, caller, access.ToSendTestMessage, prepare)
	if err != nil {
		return "", "", err
	}
	messageID, err = m.cfg.Sender.SendTo(ctx, to, example)
	return messageID, example.Text, err
}
