package admin

import (
	"context"
	"errors"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// PaymentPath has a payment attempt in the path.
type PaymentPath struct {
	ID string `path:"id" doc:"The payment attempt's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// WalletPaymentPath has a reported payment to a wallet in the path.
type WalletPaymentPath struct {
	ID string `path:"id" doc:"The payment's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

func walletPaymentOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listWalletPayments", Path: "wallet-payments",
			Tag: tagPayments, Use: access.ToListWalletPayments, List: true,
			Summary: "List payments to wallets that buyers have reported",
			Description: "Newest first; a list with only the status waiting is oldest first, " +
				"because those have waited longest.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.WalletFilter
		}) (*page.List[order.StaffWalletPayment], error) {
			in.Request = in.page()
			return in.shop().Orders.ListWalletPayments(ctx, in.caller(), in.WalletFilter)
		}),

		define(Operation{
			ID: "getWalletTotals", Path: "wallet-totals", Tag: tagPayments, Use: access.ToSumWalletPayments,
			Summary:     "The sums of each wallet",
			Description: "To compare them with the wallet itself.",
		}, func(ctx context.Context, in *struct{ request }) (*order.WalletTotals, error) {
			return in.shop().Orders.SumWalletPayments(ctx, in.caller())
		}),

		define(Operation{
			ID: "confirmWalletPayment", Method: http.MethodPost, Path: "wallet-payments/{id}/confirm",
			Tag: tagPayments, Use: access.ToConfirmWalletPayment, Idempotent: true, BodyOptional: true,
			Summary: "Confirm that a reported payment has arrived",
			Description: "It becomes an advance of its order in any status of the order: a closed " +
				"order then owes it to the buyer. A confirmed payment is returned unchanged.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example: map[string]any{"amount": 10000},
		}, func(ctx context.Context, in *struct {
			request
			WalletPaymentPath
			Body order.WalletConfirmation
		}) (*order.StaffWalletPayment, error) {
			return in.shop().Orders.ConfirmWalletPayment(ctx, in.caller(), in.ID, in.Body)
		}),

		define(Operation{
			ID: "refuseWalletPayment", Method: http.MethodPost, Path: "wallet-payments/{id}/refuse",
			Tag: tagPayments, Use: access.ToRefuseWalletPayment, Idempotent: true,
			Summary:     "Refuse a reported payment that has not arrived",
			Description: "The buyer reads the reason and can report another payment.",
			Codes:       append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example:     map[string]any{"reason": "No such transaction"},
		}, func(ctx context.Context, in *struct {
			request
			WalletPaymentPath
			Body order.WalletRefusal
		}) (*order.StaffWalletPayment, error) {
			return in.shop().Orders.RefuseWalletPayment(ctx, in.caller(), in.ID, in.Body)
		}),
	}
}

func paymentOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listPayments", Path: "payments",
			Tag: tagPayments, Use: access.ToListPaymentAttempts, List: true,
			Summary: "List payment attempts, newest first",
			Description: "A list with only the statuses needs_review and refund_due is oldest " +
				"first, because the oldest attempts are due first.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			order.AttemptFilter
		}) (*page.List[order.AttemptRecord], error) {
			in.Request = in.page()
			return in.shop().Orders.ListPaymentAttempts(ctx, in.caller(), in.AttemptFilter)
		}),

		define(Operation{
			ID: "getPayment", Path: "payments/{id}", Tag: tagPayments, Use: access.ToFindPaymentAttempt,
			Summary:     "One payment attempt with its refunds",
			Description: "Includes the gateway's IDs and its own words.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			PaymentPath
		}) (*order.AttemptRecord, error) {
			return in.shop().Orders.FindPaymentAttempt(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "resolvePayment", Method: http.MethodPost, Path: "payments/{id}/resolve",
			Tag: tagPayments, Use: access.ToResolvePayment, Provider: true, Idempotent: true,
			Summary: "Decide a payment that needs review, or an unclear refund",
			Description: "Check it in the gateway's panel first. accept=true means that the money " +
				"arrived or the refund was paid, false that it did not. The ID is the payment " +
				"attempt's or the refund's.",
			Codes:   changeCodes,
			Example: map[string]any{"accept": true},
		}, func(ctx context.Context, in *struct {
			request
			PaymentPath
			Body struct {
				Accept bool `json:"accept"`
			}
		}) (*order.AttemptRecord, error) {
			return in.shop().Orders.ResolvePayment(ctx, in.caller(), in.ID, in.Body.Accept)
		}),

		define(Operation{
			ID: "refundPayment", Method: http.MethodPost, Path: "payments/{id}/refund",
			Tag: tagPayments, Use: access.ToRefundPayment, Provider: true,
			Idempotent: true, Resumes: true, BodyOptional: true,
			Summary: "Refund a payment through its gateway",
			Description: "Refunds in full or in part. The refund is stored before the gateway is " +
				"called. Without an amount, a request that failed may be sent again with its " +
				"Idempotency-Key: it continues the refund. With an amount it is refused: check " +
				"the payment's refunds first. A second refund of the same amount within an hour " +
				"needs confirmDuplicate.",
			Codes:   append([]fault.Code{fault.CodeUnavailable}, changeCodes...),
			Example: map[string]any{"amount": 15000},
		}, func(ctx context.Context, in *struct {
			request
			PaymentPath
			Body order.RefundInput
		}) (*order.AttemptRecord, error) {
			record, err := in.shop().Orders.RefundPayment(ctx, in.caller(), in.ID, in.Body)
			if (in.Body.Amount != nil || len(in.Body.Items) > 0) && !errors.Is(err, order.ErrNothingDone) { // one more refund of the amount could be made
				in.exchange().UseUpKey()
			}
			return record, err
		}),

		define(Operation{
			ID: "markPaymentRefunded", Method: http.MethodPost, Path: "payments/{id}/mark-refunded",
			Tag: tagPayments, Use: access.ToMarkRefunded, Idempotent: true, BodyOptional: true,
			Summary: "Record a refund that was made outside of the program",
			Description: "For refunds in the gateway's panel or by bank transfer, for example. " +
				"Nothing is sent to the gateway.",
			Codes:   changeCodes,
			Example: map[string]any{"amount": 15000},
		}, func(ctx context.Context, in *struct {
			request
			PaymentPath
			Body order.RefundInput
		}) (*order.AttemptRecord, error) {
			return in.shop().Orders.MarkRefunded(ctx, in.caller(), in.ID, in.Body)
		}),
	}
}
