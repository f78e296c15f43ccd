package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
)

// WebhookEndpointPath has a webhook endpoint in the path.
type WebhookEndpointPath struct {
	ID string `path:"id" doc:"The webhook endpoint's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// WebhookEndpointInput is a new webhook endpoint.
type WebhookEndpointInput struct {
	URL     string           `json:"url" doc:"An https URL. Webhooks are sent to no private address, and follow no redirect"`
	Label   string           `json:"label,omitempty" doc:"Name of the receiver, at most 100 characters. Defaults to the URL's host"`
	Types   []outbox.Type    `json:"types,omitempty" nullable:"false" doc:"Types of events, as in followEvents. Defaults to *, which means all"`
	Payload endpoint.Payload `json:"payload,omitempty" doc:"Defaults to thin"`
}

// WebhookEndpointChange is a change of a webhook endpoint.
type WebhookEndpointChange struct {
	URL     *string           `json:"url,omitempty"`
	Label   *string           `json:"label,omitempty"`
	Types   []outbox.Type     `json:"types,omitempty" nullable:"false"`
	Payload *endpoint.Payload `json:"payload,omitempty"`
	Active  *bool             `json:"active,omitempty" doc:"false cancels waiting webhooks; true sends the events from now on"`
}

// NewWebhookEndpoint is a webhook endpoint with a new secret.
type NewWebhookEndpoint struct {
	endpoint.Endpoint
	Secret string `json:"secret" doc:"Verifies the signatures of webhooks; shown once"`
}

// WebhookEndpoints are webhook endpoints.
type WebhookEndpoints struct {
	Nodes []endpoint.Endpoint `json:"nodes" nullable:"false"`
}

// TimeRange is a range of time.
type TimeRange struct {
	From time.Time `json:"from" doc:"At or after this time"`
	To   time.Time `json:"to" doc:"Before this time"`
}

func endpointVersion(e *endpoint.Endpoint) string { return versionOf(e.Editable()) }

// webhookEndpoint returns a webhook endpoint with its version.
func (r *request) webhookEndpoint(e *endpoint.Endpoint, err error) (*endpoint.Endpoint, error) {
	if err == nil {
		r.setVersion(endpointVersion(e))
	}
	return e, err
}

func webhookEndpointOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listWebhookEndpoints", Path: "webhook-endpoints",
			Tag: tagWebhooks, Use: access.ToListEndpoints,
			Summary: "List the webhook endpoints, oldest first",
		}, func(ctx context.Context, in *struct{ request }) (*WebhookEndpoints, error) {
			list, err := in.shop().Endpoints.ListEndpoints(ctx, in.caller())
			return &WebhookEndpoints{list}, err
		}),

		define(Operation{
			ID: "createWebhookEndpoint", Method: http.MethodPost, Path: "webhook-endpoints",
			Tag: tagWebhooks, Use: access.ToCreateEndpoint, Idempotent: true, Secret: true, Created: true,
			Summary: "Create a webhook endpoint",
			Description: "It receives the events from now on. A shop has at most 10. The payload `full` needs the permission `orders.read`, " +
				"and ends when the staff member who set it loses it.",
			Codes:   []fault.Code{fault.CodeStateConflict},
			Example: map[string]any{"url": "https://erp.example.com/hooks/shop", "types": []outbox.Type{outbox.OrderPlaced, outbox.ShipmentDelivered}},
		}, func(ctx context.Context, in *struct {
			request
			Body WebhookEndpointInput
		}) (*NewWebhookEndpoint, error) {
			created, secret, err := in.shop().Endpoints.CreateEndpoint(ctx, in.caller(), endpoint.Input{
				URL: in.Body.URL, Label: in.Body.Label, Types: in.Body.Types, Payload: in.Body.Payload,
			})
			if err != nil {
				return nil, err
			}
			return &NewWebhookEndpoint{*created, secret}, nil
		}),

		define(Operation{
			ID: "getWebhookEndpoint", Path: "webhook-endpoints/{id}",
			Tag: tagWebhooks, Use: access.ToFindEndpoint, Versioned: true,
			Summary: "One webhook endpoint",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
		}) (*endpoint.Endpoint, error) {
			return in.webhookEndpoint(in.shop().Endpoints.FindEndpoint(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "updateWebhookEndpoint", Method: http.MethodPatch, Path: "webhook-endpoints/{id}",
			Tag: tagWebhooks,
			Use: access.ToUpdateEndpoint, Versioned: true,
			Summary:     "Change a webhook endpoint",
			Description: "To send the events that happened while it was inactive, redeliver that time.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"active": true},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			Precondition
			Body WebhookEndpointChange
		}) (*endpoint.Endpoint, error) {
			edit := endpoint.Edit{
				URL: in.Body.URL, Label: in.Body.Label, Payload: in.Body.Payload, Active: in.Body.Active, Accept: check(in.Precondition, endpointVersion),
			}
			if in.Body.Types != nil {
				edit.Types = &in.Body.Types
			}
			return in.webhookEndpoint(in.shop().Endpoints.UpdateEndpoint(ctx, in.caller(), in.ID, edit))
		}),

		define(Operation{
			ID: "deleteWebhookEndpoint", Method: http.MethodDelete, Path: "webhook-endpoints/{id}",
			Tag: tagWebhooks, Use: access.ToDeleteEndpoint,
			Summary: "Delete a webhook endpoint with its deliveries",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			Precondition
		}) (*Done, error) {
			return done(in.shop().Endpoints.DeleteEndpoint(ctx, in.caller(), in.ID, check(in.Precondition, endpointVersion)))
		}),

		define(Operation{
			ID: "rotateWebhookSecret", Method: http.MethodPost, Path: "webhook-endpoints/{id}/rotate",
			Tag: tagWebhooks,
			Use: access.ToRotateEndpoint, Idempotent: true, Secret: true, BodyOptional: true,
			Summary: "Replace the secret of a webhook endpoint",
			Description: "For the next 24 hours webhooks have two signatures: by the new secret " +
				"and by the previous one.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			NoBody
		}) (*NewWebhookEndpoint, error) {
			rotated, secret, err := in.shop().Endpoints.RotateEndpoint(ctx, in.caller(), in.ID)
			if err != nil {
				return nil, err
			}
			return &NewWebhookEndpoint{*rotated, secret}, nil
		}),

		define(Operation{
			ID: "testWebhookEndpoint", Method: http.MethodPost, Path: "webhook-endpoints/{id}/test",
			Tag: tagWebhooks,
			Use: access.ToTestEndpoint, Provider: true, Idempotent: true, BodyOptional: true,
			Summary:     "Send an event of the type test",
			Description: "Waits at most 15 seconds for the response. It is not repeated.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			NoBody
		}) (*endpoint.Delivery, error) {
			return in.shop().Endpoints.TestEndpoint(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "listDeliveries", Path: "webhook-endpoints/{id}/deliveries",
			Tag: tagWebhooks, Use: access.ToListDeliveries, List: true,
			Summary:     "List the deliveries to a webhook endpoint, newest first",
			Description: "Deliveries are stored for 30 days.",
			Codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			ListQuery
			endpoint.DeliveryFilter
		}) (*page.List[endpoint.Delivery], error) {
			in.Request = in.page()
			return in.shop().Endpoints.ListDeliveries(ctx, in.caller(), in.ID, in.DeliveryFilter)
		}),

		define(Operation{
			ID: "redeliverRange", Method: http.MethodPost, Path: "webhook-endpoints/{id}/redeliver",
			Tag: tagWebhooks, Use: access.ToRedeliverRange, Idempotent: true, Resumes: true,
			Summary: "Send the events of a period again",
			Description: "Includes events that happened while the webhook endpoint was inactive. " +
				"A webhook retains its webhook-id, so that a receiver recognizes duplicates. At " +
				"most 50,000 events per request.",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
			Example: TimeRange{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)},
		}, func(ctx context.Context, in *struct {
			request
			WebhookEndpointPath
			Body TimeRange
		}) (*endpoint.Redelivered, error) {
			return in.shop().Endpoints.RedeliverRange(ctx, in.caller(), in.ID, in.Body.From, in.Body.To)
		}),

		define(Operation{
			ID: "redeliver", Method: http.MethodPost, Path: "deliveries/{id}/redeliver",
			Tag: tagWebhooks, Use: access.ToRedeliver, Idempotent: true, BodyOptional: true,
			Summary: "Send one delivery again",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
			ID string `path:"id" doc:"The delivery's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*endpoint.Delivery, error) {
			return in.shop().Endpoints.Redeliver(ctx, in.caller(), "", in.ID)
		}),
	}
}
