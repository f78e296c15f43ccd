package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The records of the Admin API have at least these fields, and fields of a limited set of values at
// least these: programs depend on them.
func TestAdmin_Records(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage
				Enum       []string
			}
		}
	}
	newSite(t, nil).get("/admin/openapi.json", "x-tenant", "").ok(200, &doc)
	schemas := doc.Components.Schemas
	for name, fields := range map[string]string{
		"Member": "_id name email phoneNumber role grants denies permissions language status secondFactor passkeys lastSeenAt createdAt",
		"Actor":  "kind _id name", "APIKey": "_id label scopes createdBy createdAt lastUsedAt expiresAt", "NewKey": "token",
		"Note": "_id at by kind outcome text callAt", "Advance": "_id at by amount method reference",
		"Record":     "orders delivered returned cancelled open firstAt level",
		"Contact":    "phoneNumber names note tags blocked blockedReason record customerId lastOrderAt",
		"Action":     "allowed code message",
		"Job":        "_id kind by status total done failed createdAt finishedAt results",
		"Result":     "subject label ok code message warning",
		"Media":      "_id url alt width height bytes renditions usedBy createdAt",
		"Rendition":  "width height url",
		"Endpoint":   "_id url label types payload active failingSince lastDelivery",
		"Delivery":   "_id endpointId type at status attempts nextAt responseStatus answer tookMs",
		"AuditEntry": "_id at actor via client requestId action subject changes",
		"Change":     "field before after", "Subject": "kind _id label", "Metric": "value before change how",
		"NewWebhookEndpoint": "secret", "LastDelivery": "at responseStatus",
		"OrderRow": "_id orderNumber placedAt status paymentStatus fulfillmentStatus paymentMethod total cashToCollect customer city area units " +
			"firstItem shipment tags calls record flags source test claimedBy",
		"OrderRowCustomer": "name phoneNumber", "OrderRowItem": "title imageUrl", "OrderRowShipment": "provider consignmentId status",
		"Calls": "count lastOutcome lastAt dueAt",
		"StaffOrder": "_id invoiceUid orderNumber status paymentStatus fulfillmentStatus items subtotal discount deliveryCharge rounding total " +
			"coupon customer shippingAddress note payment shipments timeline cancellable cancelBlockedReason test placedAt notes advances " +
			"staffDiscount placedBy printed shipmentHistory actions cashToCollect tags calls record source claimedBy",
		"StaffDiscount": "amount reason", "Print": "kind at",
		"OrderActions": "confirm cancel edit editItems book enter deliver return refund",
		"ListMeta":     "totalCount bounded",
		"ParsedOrder":  "customer shippingAddress quantities sources unsure proposed",
		"Session":      "staffMember permissions shop provedAt expiresAt serverTime version",
	} {
		for field := range strings.FieldsSeq(fields) {
			if schemas[name].Properties[field] == nil {
				t.Errorf("%s has no field %s", name, field)
			}
		}
	}
	for name, values := range map[string]string{
		"ActorKind": "staff key operator cli shop", "Role": "owner manager staff viewer", "Language": "bn en", "MemberStatus": "invited active off",
		"SecondFactor": "none totp passkey", "NoteKind": "note call", "JobStatus": "queued running done cancelled", "RecordLevel": "new good watch bad",
		"Block": "none cash all", "AdvanceMethod": "bkash nagad rocket bank cash other", "CallFilter": "none some due",
		"CallOutcome": "confirmed no_answer call_later wrong_number refused", "DeliveryStatus": "waiting sent failed", "WebhookPayload": "thin full",
		"Via": "dashboard api cli", "OrderSource": "storefront phone facebook instagram whatsapp shop other",
		"OrderSort":     "placedAt updatedAt total callDue",
		"WorkView":      "toConfirm toPack toHandOver onTheWay problems returning toRefund unpaid done closed all",
		"OrderAction":   "confirm cancel book track deliver return tag untag note markPrinted",
		"ProductAction": "publish draft archive delete addTags removeTags addToCollection removeFromCollection price",
		"PrintKind":     "label invoice packing picklist handover",
	} {
		for value := range strings.FieldsSeq(values) {
			if got := schemas[name].Enum; !slices.Contains(got, value) {
				t.Errorf("%s: got the values %v, want %s among them", name, got, value)
			}
		}
	}
}
