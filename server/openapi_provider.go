package server

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
	"storefront/shop/plugin"
)

const providersDescription = `The webhooks of couriers and payment gateways, and the callbacks of gateways. Each path belongs to one shop:
its UID is the last segment, and there is no ` + "`x-tenant`" + `. GraphQL's ` + "`plugin__webhookUrls`" + ` lists them. An unknown shop, a
provider that is not configured and a wrong secret have the same 401.

An authentic webhook is stored, then applied once: a repeated one changes nothing. One that cannot be read or matched gets the same
response, since providers do not repeat what is refused. The demo shop's secrets are ` + "`simulated`" + `.`

// The names of the providers' security schemes.
const (
	schemeCourierA = "courierA"
	schemeCourierB = "courierB"
)

// describeProviders adds the providers' routes to the document. Their bodies follow the providers'
// protocols, so huma neither decodes nor validates them.
func describeProviders(doc *huma.OpenAPI) {
	doc.Tags = append(doc.Tags, &huma.Tag{Name: tagProviders, Description: providersDescription})
	schemes := doc.Components.SecuritySchemes
	schemes[schemeCourierA] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: "X-CourierA-Signature", Description: "The shop's `webhook_secret` of courier_a",
	}
	schemes[schemeCourierB] = &huma.SecurityScheme{Type: "http", Scheme: "bearer", Description: "The shop's `webhook_token` of courier_b"}
	for _, op := range []*huma.Operation{courierAWebhook(), courierBWebhook(), gatewayAWebhook(), gatewayBCallback()} {
		op.Tags = []string{tagProviders}
		op.Parameters = append([]*huma.Param{{
			Name: "tenant", In: "path", Required: true, Description: "The shop's UID", Example: "demo", Schema: textSchema(""),
		}}, op.Parameters...)
		describeProviderErrors(doc, op)
		doc.AddOperation(op)
	}
}

// describeProviderErrors adds the error responses that all providers' routes have.
func describeProviderErrors(doc *huma.OpenAPI, op *huma.Operation) {
	op.Responses["401"] = &huma.Response{
		Description: "The shop does not exist, the provider is not configured, or the webhook is not authentic",
		Content: map[string]*huma.MediaType{"application/json": {
			Schema: objectSchema([]string{"status", "message"}, map[string]*huma.Schema{
				"status": textSchema("Always `error`"), "message": textSchema(""),
			}),
			Example: map[string]any{"status": "error", "message": "Unauthorized."},
		}},
	}
	for status, code := range map[string]fault.Code{"500": fault.CodeInternal, "503": fault.CodeUnavailable} {
		op.Responses[status] = &huma.Response{Content: map[string]*huma.MediaType{
			"application/problem+json": {Schema: &huma.Schema{Ref: schemaPrefix + "Problem"}},
		}}
		describeStatus(doc, op.Responses[status], []fault.Code{code})
	}
}

func courierAWebhook() *huma.Operation {
	return &huma.Operation{
		OperationID: "courierAWebhook", Method: http.MethodPost, Path: plugin.CourierAWebhookPath + "{tenant}",
		Summary: "A shipment event of courier_a",
		Description: "`webhook_integration` is the handshake that the courier's panel sends first; it changes no order. Other events update the " +
			"shipment with this `consignment_id` or `merchant_order_id` (the invoice UID), in the order of their `timestamp`.",
		Security: []map[string][]string{{schemeCourierA: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: objectSchema([]string{"event"}, map[string]*huma.Schema{
				"event":             textSchema("`webhook_integration`, or an event such as `order.picked` or `order.delivered`"),
				"consignment_id":    textSchema("The consignment ID"),
				"merchant_order_id": textSchema("The invoice UID, if the shipment was booked with it"),
				"updated_at":        textSchema("Local time in Dhaka"),
				"timestamp":         textSchema("RFC 3339"),
				"collected_amount":  numberSchema("Cash collected, in taka with paisa as decimals"),
				"reason":            textSchema("Why a delivery failed or the shipment was returned"),
			}),
			Examples: map[string]*huma.Example{
				"handshake": {Summary: "The handshake", Value: map[string]any{"event": "webhook_integration"}},
				"delivered": {Summary: "A delivered shipment", Value: map[string]any{
					"event": "order.delivered", "consignment_id": "DL121224VS8TTJ", "merchant_order_id": exampleOrderID,
					"collected_amount": 310, "updated_at": "2026-01-05 23:49:43", "timestamp": "2026-01-05T17:49:43+00:00",
				}},
			},
		}}},
		Responses: map[string]*huma.Response{"202": {
			Description: "Received",
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: objectSchema([]string{"status", "message"}, map[string]*huma.Schema{
					"status": {Type: huma.TypeInteger, Description: "Always 202"}, "message": textSchema(""), "data": {Description: "Always null"},
				}),
				Example: map[string]any{"status": 202, "message": "Webhook received.", "data": nil},
			}},
			Headers: map[string]*huma.Param{
				"X-CourierA-Merchant-Webhook-Integration-Secret": stringHeader(
					"The value of this header in the request, otherwise the shop's `integration_secret`, otherwise its `webhook_secret`"),
			},
		}},
	}
}

func courierBWebhook() *huma.Operation {
	return &huma.Operation{
		OperationID: "courierBWebhook", Method: http.MethodPost, Path: plugin.CourierBWebhookPath + "{tenant}",
		Summary: "A delivery or tracking update of courier_b",
		Description: "A delivery update has `consignment_id` and `status` and updates the shipment; a tracking update has a message for the " +
			"timeline and no status.",
		Security: []map[string][]string{{schemeCourierB: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: objectSchema(nil, map[string]*huma.Schema{
				"notification_type": textSchema("`delivery_status` or `tracking_update`"),
				"consignment_id":    numberSchema("The consignment ID"),
				"invoice":           textSchema("The invoice UID, if the shipment was booked with it"),
				"status":            textSchema("`pending`, `delivered`, `partial_delivered`, `cancelled` or `unknown`, in upper or lower case"),
				"cod_amount":        numberSchema("Cash collected"),
				"delivery_charge":   numberSchema("The courier's charge"),
				"tracking_message":  textSchema("A message for the timeline"),
				"updated_at":        textSchema("Local time in Dhaka"),
			}),
			Examples: map[string]*huma.Example{
				"delivery": {Summary: "A delivery update", Value: map[string]any{
					"notification_type": "delivery_status", "consignment_id": 12345, "invoice": exampleOrderID, "status": "delivered",
					"cod_amount": 310.0, "delivery_charge": 70.0, "tracking_message": "The parcel has been delivered.",
					"updated_at": "2026-01-05 23:49:43",
				}},
				"tracking": {Summary: "A tracking update", Value: map[string]any{
					"notification_type": "tracking_update", "consignment_id": 12345, "invoice": exampleOrderID,
					"tracking_message": "The parcel has reached the hub.", "updated_at": "2026-01-05 10:15:00",
				}},
			},
		}}},
		Responses: map[string]*huma.Response{"200": {
			Description: "Received",
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: objectSchema([]string{"status", "message"}, map[string]*huma.Schema{
					"status": textSchema("Always `success`"), "message": textSchema(""),
				}),
				Example: map[string]any{"status": "success", "message": "Webhook received successfully."},
			}},
		}},
	}
}

func gatewayAWebhook() *huma.Operation {
	fields := map[string]*huma.Schema{
		"tran_id": textSchema("The payment attempt"), "status": textSchema("`VALID`, `FAILED`, `CANCELLED` and the like"),
		"val_id": textSchema("The ID to validate the payment by"),
		"amount": textSchema("In major units"), "currency": textSchema("ISO 4217"), "store_id": textSchema("The shop at the gateway"),
		"verify_key": textSchema("Names of the signed fields"), "verify_sign": textSchema("MD5 of these fields and the shop's hashed password"),
	}
	return &huma.Operation{
		OperationID: "gatewayAWebhook", Method: http.MethodPost, Path: plugin.GatewayAWebhookPath + "{tenant}",
		Summary: "A payment webhook (IPN) of gateway_a",
		Description: "Authenticated by its signature over the fields in `verify_key`, with the " +
			"credentials of the shop's active mode. Its content is then validated with the " +
			"gateway; only its response changes the payment attempt. A webhook never undoes a " +
			"payment.",
		Security: []map[string][]string{{}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {
			Schema: objectSchema([]string{"tran_id", "status", "amount", "currency", "store_id", "verify_key", "verify_sign"}, fields),
			Example: map[string]any{
				"tran_id": "01KAJ3V5W7X9Y1Z3A5B7C9D1E3", "status": "FAILED", "amount": "310.00", "currency": "BDT", "store_id": "demo",
				"verify_key": "amount,currency,status,store_id,tran_id", "verify_sign": "fe13bbe0909b3f1d0714af2a17b08d88",
			},
		}}},
		Responses: map[string]*huma.Response{"200": {
			Description: "Received",
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: textSchema(""), Example: "OK"}},
		}},
	}
}

func gatewayBCallback() *huma.Operation {
	query := func(name, description, example string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: description, Example: example, Schema: textSchema("")}
	}
	return &huma.Operation{
		OperationID: "gatewayBCallback", Method: http.MethodGet, Path: plugin.GatewayBCallbackPath + "{tenant}",
		Summary: "A buyer returns from gateway_b",
		Description: "The gateway sends the buyer's browser here. The parameters prove nothing: the payment is executed with the gateway, once, if " +
			"the order is still waiting for it. The buyer is redirected to the shop's storefront in any case, with `order` and `payment` " +
			"(`success`, `failed`, `cancelled` or `pending`) in the query.",
		Security: []map[string][]string{{}},
		Parameters: []*huma.Param{
			query("paymentID", "The gateway's payment ID", "TR0011ExAmPlE1234567"), query("status", "`success`, `failure` or `cancel`", "cancel"),
			query("signature", "Must match the signature returned when the payment was created, if there was one", "example"),
			query("version", "Version of the gateway's API", "1.2.0-beta"),
			query("product", "The gateway's product", "checkout"),
		},
		Responses: map[string]*huma.Response{"302": {
			Description: "To the shop's storefront, or to a result page on this server if the shop has none",
			Headers:     map[string]*huma.Param{"Location": stringHeader("Never a URL from the request")},
		}},
	}
}

func textSchema(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description}
}

func numberSchema(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Description: description}
}

func objectSchema(required []string, properties map[string]*huma.Schema) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: required, Properties: properties}
}
