package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// WebhookPath has a webhook of a provider in the path.
type WebhookPath struct {
	ID string `path:"id" doc:"The webhook's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// RefusedWebhooks are records of webhooks that were not authentic.
type RefusedWebhooks struct {
	Nodes []inbox.RefusedWebhook `json:"nodes" nullable:"false"`
}

func webhookOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listProviderWebhooks", Path: "provider-webhooks",
			Tag: tagProviders, Use: access.ToListWebhooks, List: true,
			Summary:     "List the webhooks that providers sent, newest first",
			Description: "Webhooks are stored for 90 days, with the result of their processing.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			inbox.WebhookFilter
		}) (*page.List[inbox.Webhook], error) {
			in.Request = in.page()
			return in.shop().Inbox.ListWebhooks(ctx, in.caller(), in.WebhookFilter)
		}),

		define(Operation{
			ID: "getProviderWebhook", Path: "provider-webhooks/{id}",
			Tag: tagProviders, Use: access.ToFindWebhook,
			Summary:     "One webhook with its body",
			Description: "Personal data and secrets in the body are masked.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			WebhookPath
		}) (*inbox.Webhook, error) {
			return in.shop().Inbox.FindWebhook(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "replayProviderWebhook", Method: http.MethodPost, Path: "provider-webhooks/{id}/replay",
			Tag: tagProviders,
			Use: access.ToReplayWebhook, Provider: true, BodyOptional: true,
			Summary:     "Process a stored webhook again",
			Description: "A webhook that was applied changes nothing when it is processed again.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			WebhookPath
			NoBody
		}) (*inbox.Webhook, error) {
			return in.shop().Orders.ReplayWebhook(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "listRefusedWebhooks", Path: "refused-webhooks",
			Tag: tagProviders, Use: access.ToListRefusedWebhooks,
			Summary:     "List webhook requests that were not authentic, newest first",
			Description: "Neither body nor headers are stored. Most have a wrong secret in the provider's panel.",
		}, func(ctx context.Context, in *struct {
			request
			Provider plugin.Provider `query:"provider" doc:"Only from this provider"`
		}) (*RefusedWebhooks, error) {
			refused, err := in.shop().Inbox.ListRefusedWebhooks(ctx, in.caller(), in.Provider)
			return &RefusedWebhooks{orEmpty(refused)}, err
		}),
	}
}
