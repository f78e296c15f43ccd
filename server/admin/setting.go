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
	"storefront/shop/plugin"
)

// Backlog is overdue work of a shop.
type Backlog struct {
	NeedReview     int      `json:"needReview" doc:"Payments that staff must decide"`
	RefundDue      int      `json:"refundDue" doc:"Payments that are due to be refunded"`
	UnclearRefunds int      `json:"unclearRefunds" doc:"Refunds to be looked up at the gateway"`
	FailedStarts   int      `json:"failedStarts" doc:"Payments of the last day that could not be started"`
	FailedStart    string   `json:"failedStart" doc:"Reason of the last failure, in the gateway's words"`
	Overdue        int      `json:"overdue" doc:"Status checks at gateways that are over an hour late"`
	Unmatched      int      `json:"unmatched" doc:"Webhooks that match no record"`
	Failed         int      `json:"failed" doc:"Webhooks whose processing failed"`
	Stored         int      `json:"stored" doc:"Webhooks stored over an hour ago and not applied"`
	Flags          int      `json:"flags" doc:"Flags of orders that staff must check"`
	Unanswered     []string `json:"unanswered" nullable:"false" doc:"Orders with a booking without a response, at most 10"`
	Stray          []string `json:"stray" nullable:"false" doc:"Closed orders with an open shipment, at most 10"`
	Refused        int      `json:"refused" doc:"Webhooks of the last day that were refused"`
	Incomplete     []string `json:"incomplete" nullable:"false" doc:"Plugins that are configured in part"`
	KeysEnding     int      `json:"keysEnding" doc:"API keys that have expired, or will within a week"`
	Moving         bool     `json:"moving" doc:"Whether a move of the shop to another place has begun and not ended"`

	Findings []shop.HealthFinding `json:"findings" nullable:"false" doc:"The same in words, each with its remedy"`
}

// SettingsChange are settings to change, by name, in their JSON form.
type SettingsChange map[string]json.RawMessage

// Schema returns a schema with the names of the settings. The domain checks their values.
func (SettingsChange) Schema(r huma.Registry) *huma.Schema {
	change := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: true}
	for field := range reflect.TypeFor[shop.Settings]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		change.Properties[name] = &huma.Schema{Description: field.Tag.Get("doc")}
	}
	change.PrecomputeMessages()
	return change
}

// settingsVersion is the version of the settings.
func settingsVersion(set shop.StaffSettings) string { return versionOf(set.Settings) }

// settings returns the settings with their version.
func (r *request) settings(set *shop.StaffSettings, err error) (*shop.StaffSettings, error) {
	if err == nil {
		r.setVersion(settingsVersion(*set))
	}
	return set, err
}

func settingOperations() []Operation {
	return []Operation{
		shopPlanOperation(),

		define(Operation{
			ID: "getSettings", Path: "settings",
			Tag: tagSettings, Use: access.ToFindSettings, Versioned: true,
			Summary: "The shop's settings",
			Description: "The names are the same as in the command tenant set. Credentials of " +
				"providers are not included. requireSecondFactor and limits are null without the " +
				"permission staff.read.",
		}, func(ctx context.Context, in *struct{ request }) (*shop.StaffSettings, error) {
			return in.settings(in.shop().FindSettings(ctx, in.caller()))
		}),

		define(Operation{
			ID: "updateSettings", Method: http.MethodPatch, Path: "settings",
			Tag: tagSettings, Use: access.ToSetSettings, Versioned: true,
			Summary: "Change settings of the shop",
			Description: "Settings that are left out are unchanged; null restores the default, and a " +
				"list replaces the whole list. If any value is invalid, nothing is changed. suspended " +
				"needs shop.close too, activeMode providers.write, limits and requireSecondFactor " +
				"staff.write. Only the operator of the server changes suspension, plan and defaults.",
			Codes:   []fault.Code{fault.CodeProofRequired, fault.CodePlanLimit, fault.CodeSettingLocked},
			Example: map[string]any{"name": "Acme Dhaka", "autoConfirm": true},
		}, func(ctx context.Context, in *struct {
			request
			Precondition
			Body SettingsChange
		}) (*shop.StaffSettings, error) {
			return in.settings(in.x.SetSettings(ctx, in.Body, check(in.Precondition, settingsVersion)))
		}),

		define(Operation{
			ID: "suspendShop", Method: http.MethodPost, Path: "suspend",
			Tag: tagSettings, Use: access.ToSuspend, BodyOptional: true,
			Summary:     "Close the shop to buyers",
			Description: "Staff work as usual; webhooks of providers and work on existing orders continue.",
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*shop.StaffSettings, error) {
			return in.settings(in.shop().CloseToBuyers(ctx, in.caller()))
		}),

		define(Operation{
			ID: "resumeShop", Method: http.MethodPost, Path: "resume",
			Tag: tagSettings, Use: access.ToResume, BodyOptional: true,
			Summary: "Open a closed shop again",
			Description: "Buyers can order again immediately. A shop that the operator of the server " +
				"has suspended stays closed: 403.",
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*shop.StaffSettings, error) {
			return in.settings(in.shop().OpenToBuyers(ctx, in.caller()))
		}),

		define(Operation{
			ID: "setMode", Method: http.MethodPost, Path: "mode", Tag: tagSettings, Use: access.ToSetMode,
			Summary:     "Set the shop's mode, live or sandbox",
			Description: "In sandbox, orders are tests, and no money moves.",
			Example:     map[string]any{"mode": plugin.Sandbox},
		}, func(ctx context.Context, in *struct {
			request
			Body struct {
				Mode plugin.Mode `json:"mode"`
			}
		}) (*shop.StaffSettings, error) {
			return in.settings(in.shop().SetMode(ctx, in.caller(), in.Body.Mode))
		}),

		define(Operation{
			ID: "getHealth", Path: "health", Tag: tagHome, Use: access.ToFindBacklog, List: true,
			Summary: "Problems of the shop that need attention",
			Description: "Covers overdue work of payments, webhooks and shipments, refused " +
				"webhooks, missing settings of plugins, API keys that expire, and an unfinished " +
				"move of the shop, each with its remedy.",
		}, func(ctx context.Context, in *struct{ request }) (*Backlog, error) {
			b, err := in.shop().FindBacklog(ctx, in.caller())
			return &Backlog{
				NeedReview: b.NeedReview, RefundDue: b.RefundDue, UnclearRefunds: b.UnclearRefunds, FailedStarts: b.FailedStarts,
				FailedStart: b.FailedStart, Overdue: b.Overdue, Unmatched: b.Unmatched, Failed: b.Failed, Stored: b.Stored, Flags: b.Flags,
				Unanswered: orEmpty(b.Unanswered), Stray: orEmpty(b.Stray), Moving: b.Moving,
				Refused: b.Refused, Incomplete: orEmpty(b.Incomplete), KeysEnding: b.KeysEnding, Findings: b.Findings(),
			}, err
		}),
	}
}

// orEmpty returns a list, an empty one instead of nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
