package admin

import (
	"context"
	"errors"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/message"
	"storefront/shop/page"
	"storefront/shop/sender"
	"storefront/tenants"
)

// SMSPresets are the known gateways of text messages.
type SMSPresets struct {
	Nodes []tenants.SMSPreset `json:"nodes" nullable:"false"`
}

// SMSInput is a gateway of text messages: a preset with an account's parameters, or a whole
// configuration.
type SMSInput struct {
	Preset       string             `json:"preset,omitempty" doc:"The name of a known gateway"`
	Params       map[string]string  `json:"params,omitempty" doc:"The preset's parameters, such as an API key"`
	CallingCodes []string           `json:"callingCodes,omitempty" doc:"Countries that messages may go to. Defaults to the preset's"`
	Config       *tenants.SMSConfig `json:"config,omitempty" doc:"The configuration of any other gateway"`
}

// SentMessage is the result of a test.
type SentMessage struct {
	Status    message.Status `json:"status" doc:"sent, unknown or failed"`
	MessageID string         `json:"messageId" doc:"The provider's ID of the message; empty if there is none"`
	Reason    string         `json:"reason" doc:"Why it was not sent, in the provider's words"`
	Text      string         `json:"text" doc:"The text of a message to buyers; otherwise empty"`
}

// sentMessage returns the result of a message with this error: a provider's refusal is a result.
func sentMessage(id, text string, err error) (*SentMessage, error) {
	refused, ok := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return &SentMessage{Status: message.Sent, MessageID: id, Text: text}, nil
	case sender.IsUnknown(err):
		return &SentMessage{Status: message.Unknown, Reason: sender.Reason(err), Text: text}, nil
	case ok && refused.Err != nil && (refused.Code == fault.CodeSMSUnavailable || refused.Code == fault.CodeEmailUnavailable):
		return &SentMessage{Status: message.Failed, Reason: sender.Reason(err), Text: text}, nil
	}
	return nil, err
}

func messageOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listBuyerMessages", Path: "messages",
			Tag: tagMessages, Use: access.ToListBuyerMessages, List: true,
			Summary:     "List the messages to buyers, newest first",
			Description: "Each has the response of the SMS gateway or the mail server.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			message.Filter
		}) (*page.List[message.Record], error) {
			in.Request = in.page()
			return in.shop().Messages.ListBuyerMessages(ctx, in.caller(), in.Filter)
		}),

		define(Operation{
			ID: "sendTestMessage", Method: http.MethodPost, Path: "messages/test",
			Tag: tagMessages, Use: access.ToSendTestMessage, Provider: true, Idempotent: true, Resumes: true,
			Summary: "Send an example of a message to buyers",
			Description: "The example goes to a phone number or an e-mail address, and does not " +
				"count towards the day's budget. A refused message is a result, not an error.",
			Example: map[string]any{"event": message.OutForDelivery, "to": "01711-000000"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				Event message.Event `json:"event"`
				To    string        `json:"to" doc:"A phone number or an e-mail address"`
			}
		}) (*SentMessage, error) {
			id, text, err := in.shop().Messages.SendTestMessage(ctx, in.caller(), in.Body.Event, in.Body.To)
			return sentMessage(id, text, err)
		}),

		define(Operation{
			ID: "listMessageTemplates", Path: "message-templates",
			Tag: tagMessages, Use: access.ToListMessageTemplates,
			Summary:     "The texts of messages to buyers, in both languages",
			Description: "Each has an example with its number of billed parts.",
		}, func(ctx context.Context, in *struct{ request }) (*MessageTemplates, error) {
			templates, err := in.shop().Messages.ListMessageTemplates(ctx, in.caller())
			return &MessageTemplates{templates}, err
		}),

		define(Operation{
			ID: "getSms", Path: "sms", Tag: tagMessages, Use: access.ToSMSConfig,
			Summary:     "The gateway of the shop's text messages",
			Description: "Only the names of its secrets are returned.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.SMSStatus, error) {
			return tenants.ReadSMSStatus(ctx, in.shop(), in.caller())
		}),

		define(Operation{
			ID: "configureSms", Method: http.MethodPut, Path: "sms",
			Tag: tagMessages, Use: access.ToConfigureSMS,
			Summary: "Set the gateway of the shop's text messages",
			Description: "Accepts a preset with the account's parameters, or a whole " +
				"configuration. It replaces the previous configuration and its secrets, so each " +
				"secret must be sent again. Credentials belong in params or secrets: the rest of " +
				"a configuration is returned unmasked.",
			Codes:   lockedCodes,
			Example: map[string]any{"preset": "bulksmsbd", "params": map[string]any{"apiKey": "the account's key", "sender": "8809600000000"}},
		}, func(ctx context.Context, in *struct {
			request
			Body SMSInput
		}) (*tenants.SMSStatus, error) {
			return tenants.ConfigureSMS(ctx, in.shop(), in.caller(), new(tenants.SMSInput(in.Body)))
		}),

		define(Operation{
			ID: "removeSms", Method: http.MethodDelete, Path: "sms",
			Tag: tagMessages, Use: access.ToConfigureSMS,
			Summary:     "Remove the gateway of the shop's text messages",
			Description: "Its secrets are removed too. The shop then sends no text messages, or with the gateway of the operator of the server.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.SMSStatus, error) {
			return tenants.ConfigureSMS(ctx, in.shop(), in.caller(), nil)
		}),

		define(Operation{
			ID: "listSmsPresets", Path: "sms/presets", Tag: tagMessages, Use: access.ToSMSConfig,
			Summary:     "The known gateways of text messages",
			Description: "Each has the parameters that it needs.",
		}, func(ctx context.Context, in *struct{ request }) (*SMSPresets, error) {
			presets, err := tenants.ListSMSPresets(ctx, in.shop(), in.caller())
			return &SMSPresets{presets}, err
		}),

		define(Operation{
			ID: "testSms", Method: http.MethodPost, Path: "sms/test",
			Tag: tagMessages, Use: access.ToSendTestSMS, Provider: true, Idempotent: true, Resumes: true,
			Summary: "Send a test message to a phone number",
			Description: "It costs as much as any message. A refused message is a result, not an " +
				"error.",
			Example: map[string]any{"phoneNumber": "01711-000000"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				PhoneNumber string `json:"phoneNumber"`
			}
		}) (*SentMessage, error) {
			id, err := in.shop().Sender.SendTestSMS(ctx, in.caller(), in.Body.PhoneNumber)
			return sentMessage(id, "", err)
		}),

		define(Operation{
			ID: "getMail", Path: "mail", Tag: tagMessages, Use: access.ToMailConfig,
			Summary:     "The shop's mail server",
			Description: "Its password is never returned.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.MailStatus, error) {
			return tenants.ReadMailStatus(ctx, in.shop(), in.caller())
		}),

		define(Operation{
			ID: "configureMail", Method: http.MethodPut, Path: "mail",
			Tag: tagMessages, Use: access.ToConfigureMail,
			Summary: "Set the shop's mail server",
			Description: "It replaces the previous server and its password, which must be sent " +
				"again.",
			Codes:   lockedCodes,
			Example: map[string]any{"host": "smtp.example.com", "from": "orders@example.com", "username": "orders", "password": "its password"},
		}, func(ctx context.Context, in *struct {
			request
			Body tenants.MailSettings
		}) (*tenants.MailStatus, error) {
			return tenants.ConfigureMail(ctx, in.shop(), in.caller(), &in.Body)
		}),

		define(Operation{
			ID: "removeMail", Method: http.MethodDelete, Path: "mail",
			Tag: tagMessages, Use: access.ToConfigureMail,
			Summary:     "Remove the shop's mail server",
			Description: "Its password is removed too. The shop then sends no e-mails, or by the mail server of the operator of the server.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.MailStatus, error) {
			return tenants.ConfigureMail(ctx, in.shop(), in.caller(), nil)
		}),

		define(Operation{
			ID: "testMail", Method: http.MethodPost, Path: "mail/test",
			Tag: tagMessages, Use: access.ToSendTestMail, Provider: true, Idempotent: true, Resumes: true,
			Summary:     "Send a test e-mail to an address",
			Description: "A refused e-mail is a result, not an error.",
			Example:     map[string]any{"email": "me@example.com"},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				Email string `json:"email"`
			}
		}) (*SentMessage, error) {
			id, err := in.shop().Sender.SendTestMail(ctx, in.caller(), in.Body.Email)
			return sentMessage(id, "", err)
		}),
	}
}

// MessageTemplates are the templates of messages to buyers.
type MessageTemplates struct {
	Nodes []message.Template `json:"nodes" nullable:"false"`
}
