package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
)

// noteOperations are the operations on staff's records about orders.
func noteOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "recordCall", Method: http.MethodPost, Path: "orders/{orderId}/calls",
			Tag: tagOrders, Use: access.ToRecordCall, Idempotent: true,
			Summary: "Record a call to the buyer",
			Description: "confirmed confirms the order and refused cancels it, in the same transaction: if the order cannot be cancelled any more, the call " +
				"is not recorded either. call_later requires callAt. The buyer's timeline shows no calls.",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodeNotCancellable},
			Example: map[string]any{"outcome": order.CallNoAnswer, "note": "Rang for a minute"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			Body struct {
				Outcome order.CallOutcome `json:"outcome"`
				Note    *string           `json:"note,omitempty" doc:"At most 1000 characters"`
				CallAt  *time.Time        `json:"callAt,omitempty" doc:"When to call again, at most 90 days ahead; for call_later and no_answer"`
			}
		}) (*order.StaffOrder, error) {
			call := order.CallInput{Outcome: in.Body.Outcome, Text: textOf(in.Body.Note), CallAt: in.Body.CallAt}
			return in.shop().Orders.RecordCall(ctx, in.undoable(in.caller()), in.OrderID, call)
		}),

		define(Operation{
			ID: "addNote", Method: http.MethodPost, Path: "orders/{orderId}/notes",
			Tag: tagOrders, Use: access.ToAddNote, Idempotent: true,
			Summary:     "Add a note to an order",
			Description: "For staff: buyers do not see it. An order has at most 500 notes and calls.",
			Codes:       changeCodes,
			Example:     map[string]any{"text": "Wants a gift box"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			Body struct {
				Text string `json:"text" doc:"1 to 1000 characters"`
			}
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.AddNote(ctx, in.undoable(in.caller()), in.OrderID, in.Body.Text)
		}),

		define(Operation{
			ID: "deleteNote", Method: http.MethodDelete, Path: "orders/{orderId}/notes/{noteId}",
			Tag: tagOrders, Use: access.ToDeleteNote,
			Summary:     "Delete a note of an order",
			Description: "Staff members and API keys can delete their own, managers and owners any. Calls stay.",
			Codes:       changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			NoteID string `path:"noteId" doc:"The note's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.DeleteNote(ctx, in.undoable(in.caller()), in.OrderID, in.NoteID)
		}),

		define(Operation{
			ID: "setTags", Method: http.MethodPut, Path: "orders/{orderId}/tags",
			Tag: tagOrders, Use: access.ToTagOrder, Versioned: true,
			Summary: "Set the tags of an order",
			Description: "The list replaces the earlier one. At most 10 tags of at most 30 " +
				"characters; tags that differ in case are the same. All orders of a shop have at " +
				"most 200 different ones. If-Match covers only the tags.",
			Codes:   []fault.Code{fault.CodeNotFound},
			Example: map[string]any{"tags": []string{"gift", "fragile"}},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Undoable
			Precondition
			Body struct {
				Tags []string `json:"tags" nullable:"false"`
			}
		}) (*order.StaffOrder, error) {
			change := order.TagChange{Set: &in.Body.Tags, Check: check(in.part(versionTags), tagsVersion)}
			order, err := in.shop().Orders.TagOrder(ctx, in.undoable(in.caller()), in.OrderID, change)
			if err == nil {
				in.setVersion(orderVersion(*order))
			}
			return order, err
		}),

		define(Operation{
			ID: "claimOrder", Method: http.MethodPost, Path: "orders/{orderId}/claim",
			Tag: tagOrders, Use: access.ToClaimOrder, BodyOptional: true,
			Summary: "Show others that you work on an order",
			Description: "A claim lasts five minutes; claiming again or changing the order renews " +
				"it. If somebody else has claimed the order, that claim stays and own is false. A " +
				"claim prevents nothing.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			NoBody
		}) (*order.Claim, error) {
			return in.shop().Orders.ClaimOrder(ctx, in.caller(), in.OrderID)
		}),

		define(Operation{
			ID: "releaseOrder", Method: http.MethodDelete, Path: "orders/{orderId}/claim",
			Tag: tagOrders, Use: access.ToReleaseOrder,
			Summary:     "End your claim of an order",
			Description: "Another person's claim stays, and is returned.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
		}) (*order.Claim, error) {
			return in.shop().Orders.ReleaseOrder(ctx, in.caller(), in.OrderID)
		}),
	}
}
