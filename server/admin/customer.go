package admin

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// CustomerPath has a customer in the path.
type CustomerPath struct {
	ID string `path:"id" doc:"The account's _id, e-mail address or phone number" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// DeletedCustomer is the result of deleting a customer.
type DeletedCustomer struct {
	Orders int `json:"orders" doc:"Number of orders with erased personal data"`
}

func customerOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listCustomers", Path: "customers",
			Tag: tagCustomers, Use: access.ToListCustomers, List: true,
			Summary: "List customers, the newest orders first",
			Description: "Lists accounts, and guests by the phone number of their orders. Nobody " +
				"has proved to own a guest's number. contacts/{phone} has more about a guest. " +
				"Without a search the count is exact. Accounts without orders count as the " +
				"oldest.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			shop.CustomerFilter
		}) (*page.List[shop.CustomerRow], error) {
			in.Request = in.page()
			return in.shop().ListCustomers(ctx, in.caller(), in.CustomerFilter)
		}),

		define(Operation{
			ID: "getCustomer", Path: "customers/{id}", Tag: tagCustomers, Use: access.ToFindCustomerRecord,
			Summary: "One customer's account",
			Description: "Returns all data of the account, with its addresses, its latest orders " +
				"and the notes of staff about its phone number. contacts/{phone} has the data of " +
				"a guest.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CustomerPath
		}) (*shop.CustomerDetails, error) {
			return in.shop().FindCustomerRecord(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "resetCustomerPassword", Method: http.MethodPost, Path: "customers/{id}/password",
			Tag: tagCustomers, Use: access.ToResetPassword,
			Idempotent: true, Secret: true, BodyOptional: true,
			Summary: "End a customer's password",
			Description: "All sign-ins of the account end, and the customer is notified at the " +
				"verified contacts. The customer signs in with a code and sets a new password, " +
				"which staff never see. state_conflict means that the account has no contact " +
				"for a code.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			CustomerPath
			NoBody
		}) (*account.PasswordReset, error) {
			return in.shop().Accounts.ResetPassword(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "exportCustomer", Path: "customers/{id}/export",
			Tag: tagCustomers, Use: access.ToExportCustomer, List: true,
			Summary: "All data of a customer or a guest",
			Description: "For requests for personal data. Includes the notes of staff about the " +
				"buyer. A guest is identified by the phone number of their orders. Each export is " +
				"in the audit log.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CustomerPath
		}) (*shop.CustomerExport, error) {
			return in.shop().ExportCustomer(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "deleteCustomer", Method: http.MethodDelete, Path: "customers/{id}",
			Tag: tagCustomers, Use: access.ToDeleteCustomer,
			Summary: "Erase a customer or a guest",
			Description: "The orders stay for the shop's accounts, without name, phone number, " +
				"e-mail address, address, notes and tags. A guest is identified by the phone " +
				"number of their orders. A phone number that is blocked stays blocked, without " +
				"the reason.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			CustomerPath
		}) (*DeletedCustomer, error) {
			orders, err := in.shop().DeleteCustomer(ctx, in.caller(), in.ID)
			return &DeletedCustomer{orders}, err
		}),
	}
}
