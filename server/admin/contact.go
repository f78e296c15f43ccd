package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
)

// PhonePath has a contact in the path.
type PhonePath struct {
	Phone string `path:"phone" doc:"A phone number in any common notation" example:"+8801711000001"`
}

// ContactChange is a change of some fields of a contact.
type ContactChange struct {
	Note          Nullable[string] `json:"note,omitempty" doc:"At most 1000 characters; null or empty removes it"`
	Tags          []string         `json:"tags,omitempty" nullable:"false" doc:"Replaces the whole list: at most 10 of at most 30 characters"`
	Blocked       *order.Block     `json:"blocked,omitempty" doc:"none, cash (no cash on delivery) or all (no orders)"`
	BlockedReason Nullable[string] `json:"blockedReason,omitempty" doc:"For staff, at most 500 characters; null or empty removes it"`
}

// contactVersion is the version of the editable fields of a contact.
func contactVersion(c order.Contact) string {
	return versionOf([]any{c.Note, c.Tags, c.Blocked, c.BlockedReason})
}

// contact returns a contact with its version.
func (r *request) contact(c *order.Contact, err error) (*order.Contact, error) {
	if err == nil {
		r.setVersion(contactVersion(*c))
	}
	return c, err
}

func contactOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getContact", Path: "contacts/{phone}",
			Tag: tagCustomers, Use: access.ToFindContact, Versioned: true,
			Summary: "A buyer's record by phone number",
			Description: "Returns names, record, note, tags and block, a guest's orders in sum " +
				"and, if the caller may view orders, the latest orders with the number. A valid " +
				"number that is new to the shop is a contact without orders.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			PhonePath
		}) (*order.ContactDetails, error) {
			c, err := in.shop().Orders.FindContact(ctx, in.caller(), in.Phone)
			if err == nil {
				in.setVersion(contactVersion(c.Contact))
			}
			return c, err
		}),

		define(Operation{
			ID: "updateContact", Method: http.MethodPatch, Path: "contacts/{phone}",
			Tag: tagCustomers, Use: access.ToUpdateContact, Versioned: true,
			Summary: "Note, tag or block a phone number",
			Description: "Fields that are left out are unchanged. cash refuses cash on delivery to guests and accounts with the number, all refuses their " +
				"orders. Erasing the customer leaves the block.",
			Codes:   []fault.Code{fault.CodeNotFound},
			Example: map[string]any{"blocked": order.BlockCash, "blockedReason": "Refused three shipments"},
		}, func(ctx context.Context, in *struct {
			request
			PhonePath
			Precondition
			Body ContactChange
		}) (*order.Contact, error) {
			change := order.ContactChange{
				Note: in.Body.Note.edit(), Blocked: in.Body.Blocked, BlockedReason: in.Body.BlockedReason.edit(), Check: check(in.Precondition, contactVersion),
			}
			if in.Body.Tags != nil {
				change.Tags = &in.Body.Tags
			}
			return in.contact(in.shop().Orders.UpdateContact(ctx, in.caller(), in.Phone, change))
		}),
	}
}
