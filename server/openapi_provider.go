package server

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop"
)

const providersDescription = `What couriers and payment gateways call. Each address is of one shop: its UID is the last segment, and there is no
` + "`x-tenant`" + `. GraphQL's ` + "`plugin__webhookUrls`" + ` lists them. A shop that does not exist, a provider that is not configured and a wrong
secret are one and the same 401.

An authentic call is kept, then applied once: a repeat changes nothing, and one that can not be read or matched is answered like
any other, since providers do not repeat what is refused. The demo shop's secrets are ` + "`simulated`" + `.`

// The names of the providers' security schemes.
const (
	schemeCourierA = "courierA"
	schemeCourierB = "courierB"
)

// describeProviders adds the addresses of the providers to the document. What their bodies look
// like is the providers' own affair, so huma neither reads nor checks them.
func describeProviders(doc *huma.OpenAPI) {
	doc.Tags = append(doc.Tags, &huma.Tag{Name: tagProviders, Description: providersDescription})
	schemes := doc.Components.SecuritySchemes
	schemes[schemeCourierA] = &huma.SecurityScheme{Type: "apiKey", In: "header", Name: "X-CourierA-Signature", Description: "The shop's `webhook_secret` of courier_a"}
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

// describeProviderErrors adds what every address of a provider can answer beside success.
func describeProviderErrors(doc *huma.OpenAPI, op *huma.Operation) {
	op.Responses["401"] = &huma.Response{
		Description: "The shop does not exist, the provider is not configured, or the call is not authentic",
		Content: map[string]*huma.MediaType{"application/json": {
			Schema:  objectSchema([]string{"status", "message"}, map[string]*huma.Schema{"status": textSchema("Always `error`"), "message": textSchema("")}),
			Example: map[string]any{"status": "error", "message": "Unauthorized."},
		}},
	}
	for status, code := range map[string]shop.Code{"500": shop.CodeInternal, "503": shop.CodeUnavailable} {
		op.Responses[status] = &huma.Response{Content: map[string]*huma.MediaType{
			"application/problem+json": {Schema: &huma.Schema{Ref: schemaPrefix + "Problem"}},
		}}
		describeStatus(doc, op.Responses[status], []shop.Code{code})
	}
}

func courierAWebhook() *huma.Operation {
	return &huma.Operation{
		OperationID: "courierAWebhook", Method: http.MethodPost, Path: shop.CourierAWebhookPath + "{tenant}",
		Summary: "A parcel event of courier_a",
		Description: "`webhook_integration` is the handshake that the courier's panel sends first; it touches no order. Other events move the " +
			"shipment that `consignment_id` or `merchant_order_id` (the invoice UID) names, in the order of their `timestamp`.",
		Security: []map[string][]string{{schemeCourierA: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: objectSchema([]string{"event"}, map[string]*huma.Schema{
				"event":             textSchema("`webhook_integration`, or what happened, such as `order.picked` or `order.delivered`"),
				"consignment_id":    textSchema("The parcel's name at the courier"),
				"merchant_order_id": textSchema("The invoice UID, where the parcel was booked with it"),
				"updated_at":        textSchema("Local time in Dhaka"),
				"timestamp":         textSchema("RFC 3339"),
				"collected_amount":  numberSchema("Cash collected, in whole taka and paisa"),
				"reason":            textSchema("Why a delivery failed or came back"),
			}),
			Examples: map[string]*huma.Example{
				"handshake": {Summary: "The first call", Value: map[string]any{"event": "webhook_integration"}},
				"delivered": {Summary: "A parcel has arrived", Value: map[string]any{
					"event": "order.delivered", "consignment_id": "DL121224VS8TTJ", "merchant_order_id": exampleOrderID,
					"collected_amount": 310, "updated_at": "2026-01-05 23:49:43", "timestamp": "2026-01-05T17:49:43+00:00",
				}},
			},
		}}},
		Responses: map[string]*huma.Response{"202": {
			Description: "Heard",
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: objectSchema([]string{"status", "message"}, map[string]*huma.Schema{
					"status": {Type: huma.TypeInteger, Description: "Always 202"}, "message": textSchema(""), "data": {Description: "Always null"},
				}),
				Example: map[string]any{"status": 202, "message": "Webhook received.", "data": nil},
			}},
			Headers: map[string]*huma.Param{
				"X-CourierA-Merchant-Webhook-Integration-Secret": stringHeader("The request's own value if it sent one, else the shop's `integration_secret`, else its `webhook_secret`"),
			},
		}},
	}
}

func courierBWebhook() *huma.Operation {
	return &huma.Operation{
		OperationID: "courierBWebhook", Method: http.MethodPost, Path: shop.CourierBWebhookPath + "{tenant}",
		Summary: "A delivery or tracking update of courier_b",
		Description: "A delivery update carries `consignment_id` and `status` and moves the shipment; a tracking update has a message for the " +
			"timeline and no status.",
		Security: []map[string][]string{{schemeCourierB: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: objectSchema(nil, map[string]*huma.Schema{
				"notification_type": textSchema("`delivery_status` or `tracking_update`"),
				"consignment_id":    numberSchema("The parcel's name at the courier"),
				"invoice":           textSchema("The invoice UID, where the parcel was booked with it"),
				"status":            textSchema("`pending`, `delivered`, `partial_delivered`, `cancelled` or `unknown`, in any case"),
				"cod_amount":        numberSchema("Cash collected"),
				"delivery_charge":   numberSchema("What the courier asks"),
				"tracking_message":  textSchema("For people"),
				"updated_at":        textSchema("Local time in Dhaka"),
			}),
			Examples: map[string]*huma.Example{
				"delivery": {Summary: "A delivery update", Value: map[string]any{
					"notification_type": "delivery_status", "consignment_id": 12345, "invoice": exampleOrderID, "status": "delivered",
					"cod_amount": 310.0, "delivery_charge": 70.0, "tracking_message": "The parcel has been delivered.", "updated_at": "2026-01-05 23:49:43",
				}},
				"tracking": {Summary: "A tracking update", Value: map[string]any{
					"notification_type": "tracking_update", "consignment_id": 12345, "invoice": exampleOrderID,
					"tracking_message": "The parcel has reached the hub.", "updated_at": "2026-01-05 10:15:00",
				}},
			},
		}}},
		Responses: map[string]*huma.Response{"200": {
			Description: "Heard",
			Content: map[string]*huma.MediaType{"application/json": {
				Schema:  objectSchema([]string{"status", "message"}, map[string]*huma.Schema{"status": textSchema("Always `success`"), "message": textSchema("")}),
				Example: map[string]any{"status": "success", "message": "Webhook received successfully."},
			}},
		}},
	}
}

func gatewayAWebhook() *huma.Operation {
	fields := map[string]*huma.Schema{
		"tran_id": textSchema("The payment attempt"), "status": textSchema("`VALID`, `FAILED`, `CANCELLED` and the like"), "val_id": textSchema("What a payment is validated by"),
		"amount": textSchema("In major units"), "currency": textSchema("ISO 4217"), "store_id": textSchema("The shop at the gateway"),
		"verify_key": textSchema("Names of the signed fields"), "verify_sign": textSchema("MD5 over them and the shop's hashed password"),
	}
	return &huma.Operation{
		OperationID: "gatewayAWebhook", Method: http.MethodPost, Path: shop.GatewayAWebhookPath + "{tenant}",
		Summary: "A payment notice (IPN) of gateway_a",
		Description: "Authentic by its signature over the fields that `verify_key` names, with the credentials of the shop's active mode. What it " +
			"says is then validated with the gateway, whose answer alone moves the payment attempt; a notice never undoes a payment.",
		Security: []map[string][]string{{}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {
			Schema: objectSchema([]string{"tran_id", "status", "amount", "currency", "store_id", "verify_key", "verify_sign"}, fields),
			Example: map[string]any{
				"tran_id": "01KAJ3V5W7X9Y1Z3A5B7C9D1E3", "status": "FAILED", "amount": "310.00", "currency": "BDT", "store_id": "demo",
				"verify_key": "amount,currency,status,store_id,tran_id", "verify_sign": "fe13bbe0909b3f1d0714af2a17b08d88",
			},
		}}},
		Responses: map[string]*huma.Response{"200": {
			Description: "Heard",
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: textSchema(""), Example: "OK"}},
		}},
	}
}

func gatewayBCallback() *huma.Operation {
	query := func(name, description, example string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: description, Example: example, Schema: textSchema("")}
	}
	return &huma.Operation{
		OperationID: "gatewayBCallback", Method: http.MethodGet, Path: shop.GatewayBCallbackPath + "{tenant}",
		Summary: "A buyer comes back from gateway_b",
		Description: "The gateway sends the buyer's browser here. The parameters prove nothing: the payment is executed with the gateway, once, while " +
			"the order waits for it. The buyer goes on to the shop's storefront, whatever came of it, with `order` and `payment` (`success`, `failed`, " +
			"`cancelled` or `pending`) in the query.",
		Security: []map[string][]string{{}},
		Parameters: []*huma.Param{
			query("paymentID", "The payment at the gateway", "TR0011ExAmPlE1234567"), query("status", "`success`, `failure` or `cancel`", "cancel"),
			query("signature", "Has to be that of creating the payment, if there was one", "example"), query("version", "Of the gateway's interface", "1.2.0-beta"),
			query("product", "Of the gateway", "checkout"),
		},
		Responses: map[string]*huma.Response{"302": {
			Description: "To the shop's storefront, or to a page of ours where it names none",
			Headers:     map[string]*huma.Param{"Location": stringHeader("Never an address from the request")},
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
