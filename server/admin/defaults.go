package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/tenants"
)

// DefaultsChange are parts of the defaults to change, by name, in their JSON form.
type DefaultsChange map[string]json.RawMessage

// Schema returns a schema with the names of the parts. The domain checks their values.
func (DefaultsChange) Schema(r huma.Registry) *huma.Schema {
	change := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: true}
	for field := range reflect.TypeFor[shop.Defaults]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type.Kind() != reflect.Bool { // the gateway and the mail server have operations of their own
			change.Properties[name] = &huma.Schema{Description: field.Tag.Get("doc")}
		}
	}
	change.PrecomputeMessages()
	return change
}

func defaultsOperations() []Operation {
	const pushed = " Shops receive it within seconds."
	return ofInstallation(
		define(Operation{
			ID: "getDefaults", Path: "defaults", Use: access.ToFindDefaults,
			Summary: "What the shops of the server inherit",
			Description: "A shop uses its own setting, unless it has none or the key is locked; then the default. The credentials of the gateway " +
				"and the mail server are stored here alone: shops send with them, and neither their data nor their backups have them.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.ServerDefaults, error) {
			return in.x.Shops().FindDefaults(ctx, in.caller())
		}),

		define(Operation{
			ID: "updateDefaults", Method: http.MethodPatch, Path: "defaults", Use: access.ToSetDefaults,
			Summary: "Change what the shops of the server inherit",
			Description: "branding, design, policies, locked and announcements are changed each as a whole; null removes one. The dashboard derives " +
				"readable colours " +
				"from the one of branding, and shows announcements to staff members until each dismisses them." + pushed,
			Example: map[string]any{
				"branding": map[string]any{"name": "Dhaka Web", "phone": "09600-000000", "colour": "#1a7f5a"},
				"policies": []any{map[string]any{"slug": "terms", "en": map[string]any{"title": "Terms", "bodyHtml": "<p>Prices include VAT.</p>"}}},
				"locked":   []shop.DefaultKey{shop.DefaultSMS},
				"announcements": []any{map[string]any{
					"kind": shop.AnnounceMaintenance, "en": "Closed on Friday from 2 to 3 a.m.", "until": "2026-07-03T21:00:00Z",
				}},
			},
		}, func(ctx context.Context, in *struct {
			request
			Body DefaultsChange
		}) (*tenants.ServerDefaults, error) {
			return in.x.Shops().SetDefaults(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "setDefaultSms", Method: http.MethodPut, Path: "defaults/sms", Use: access.ToSetDefaults,
			Summary: "Set the gateway of text messages of shops without their own",
			Description: "As configureSms of a shop. Messages count in the usage of the shop that sends them, and towards the limit of its plan." +
				pushed,
			Example: map[string]any{"preset": "bulksmsbd", "params": map[string]any{"apiKey": "the account's key", "sender": "8809600000000"}},
		}, func(ctx context.Context, in *struct {
			request
			Body SMSInput
		}) (*tenants.ServerDefaults, error) {
			return in.x.Shops().SetDefaultSMS(ctx, in.caller(), new(tenants.SMSInput(in.Body)))
		}),

		define(Operation{
			ID: "listDefaultSmsPresets", Path: "defaults/sms/presets", Use: access.ToFindDefaults,
			Summary: "The known gateways of text messages", Description: "Each has the parameters that it needs.",
		}, func(ctx context.Context, in *struct{ request }) (*SMSPresets, error) {
			presets, err := tenants.ListDefaultSMSPresets(ctx, in.shop(), in.caller())
			return &SMSPresets{presets}, err
		}),

		define(Operation{
			ID: "removeDefaultSms", Method: http.MethodDelete, Path: "defaults/sms", Use: access.ToSetDefaults,
			Summary:     "Remove the gateway of text messages of shops without their own",
			Description: "Its secrets are removed too. Shops without a gateway then send no text messages.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.ServerDefaults, error) {
			return in.x.Shops().SetDefaultSMS(ctx, in.caller(), nil)
		}),

		define(Operation{
			ID: "setDefaultMail", Method: http.MethodPut, Path: "defaults/mail", Use: access.ToSetDefaults,
			Summary:     "Set the mail server of shops without their own",
			Description: "As configureMail of a shop. The sender's name is the shop's." + pushed,
			Example:     map[string]any{"host": "smtp.example.com", "from": "orders@example.com", "username": "orders", "password": "its password"},
		}, func(ctx context.Context, in *struct {
			request
			Body tenants.MailSettings
		}) (*tenants.ServerDefaults, error) {
			return in.x.Shops().SetDefaultMail(ctx, in.caller(), &in.Body)
		}),

		define(Operation{
			ID: "removeDefaultMail", Method: http.MethodDelete, Path: "defaults/mail", Use: access.ToSetDefaults,
			Summary:     "Remove the mail server of shops without their own",
			Description: "Its password is removed too. Shops without a mail server then send no e-mails.",
		}, func(ctx context.Context, in *struct{ request }) (*tenants.ServerDefaults, error) {
			return in.x.Shops().SetDefaultMail(ctx, in.caller(), nil)
		}),
	)
}

// lockedCodes are the codes of operations on a setting that the operator may have locked.
var lockedCodes = []fault.Code{fault.CodeSettingLocked}
