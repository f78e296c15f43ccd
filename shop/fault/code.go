package fault

import "slices"

// The codes that the domain and its transports give back. [Codes] lists them with their meaning.
const (
	CodeInternal             Code = "internal"
	CodeMalformed            Code = "malformed"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeTooLarge             Code = "too_large"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeRateLimited          Code = "rate_limited"
	CodeUnavailable          Code = "unavailable"
	CodeNotFound             Code = "not_found"
	CodeHTTPSRequired        Code = "https_required"

	CodeValidationFailed  Code = "validation_failed"
	CodeRequired          Code = "required"
	CodeInvalidValue      Code = "invalid_value"
	CodeUnknownField      Code = "unknown_field"
	CodeTooComplex        Code = "too_complex"
	CodeTooManyOperations Code = "too_many_operations"

	CodeTenantRequired  Code = "tenant_required"
	CodeTenantNotFound  Code = "tenant_not_found"
	CodeTenantSuspended Code = "tenant_suspended"

	CodeUnauthenticated       Code = "unauthenticated"
	CodeTokenExpired          Code = "token_expired"
	CodeTokenInvalid          Code = "token_invalid"
	CodeForbidden             Code = "forbidden"
	CodeInvalidCredentials    Code = "invalid_credentials"
	CodeCustomerExists        Code = "customer_exists"
	CodePasswordRejected      Code = "password_rejected"
	CodePasswordResetRequired Code = "password_reset_required"
	CodeOTPInvalid            Code = "otp_invalid"
	CodeNameRequired          Code = "name_required"
	CodeSMSUnavailable        Code = "sms_unavailable"

	CodeOutOfStock               Code = "out_of_stock"
	CodePriceChanged             Code = "price_changed"
	CodePhoneRequired            Code = "phone_required"
	CodeDeliveryRequired         Code = "delivery_charge_required"
	CodePaymentMethodUnavailable Code = "payment_method_unavailable"
	CodeIdempotencyKeyReused     Code = "idempotency_key_reused"
	CodeNotCancellable           Code = "not_cancellable"
	CodeNotPayable               Code = "not_payable"
	CodeStateConflict            Code = "state_conflict"

	CodeCouponNotFound      Code = "coupon_not_found"
	CodeCouponInactive      Code = "coupon_inactive"
	CodeCouponNotStarted    Code = "coupon_not_started"
	CodeCouponExpired       Code = "coupon_expired"
	CodeCouponUsageLimit    Code = "coupon_usage_limit"
	CodeCouponCustomerLimit Code = "coupon_customer_limit"
	CodeCouponMinSubtotal   Code = "coupon_min_subtotal"
	CodeCouponNotApplicable Code = "coupon_not_applicable"
	CodeCouponRequiresLogin Code = "coupon_requires_login"
)

// codes is the catalogue of codes, in the order in which the reference shows them.
var codes = []CodeInfo{
	{CodeInternal, KindInternal, "A fault of ours. Try again; tell the request id if it stays."},
	{CodeMalformed, KindMalformed, "The request could not be read: broken JSON, a duplicate key, invalid UTF-8, an array of GraphQL operations."},
	{CodeUnsupportedMediaType, KindUnsupported, "Send the body as application/json."},
	{CodeTooLarge, KindTooLarge, "The body is larger than the limit."},
	{CodeMethodNotAllowed, KindMethod, "The path exists with other methods: see the Allow header."},
	{CodeRateLimited, KindTooMany, "Too many requests or failures: wait as long as Retry-After says."},
	{CodeUnavailable, KindUnavailable, "The work can not be done now, or not in time: try again as soon as Retry-After says."},
	{CodeNotFound, KindNotFound, "There is none, or none that this caller may see."},
	{CodeHTTPSRequired, KindForbidden, "Sent over plain HTTP: send it over HTTPS, and change a secret that went with it."},
	{CodeValidationFailed, KindInvalid, "Some inputs break a rule: errors names each."},
	{CodeRequired, KindInvalid, "The input is missing."},
	{CodeInvalidValue, KindInvalid, "The input has a value outside the allowed ones."},
	{CodeUnknownField, KindInvalid, "The body has a field that is not known here."},
	{CodeTooComplex, KindInvalid, "The GraphQL document asks for too much at once: fewer fields, smaller pages, less depth."},
	{CodeTooManyOperations, KindInvalid, "A GraphQL document may sign in or prove a password once: send the rest as documents of their own."},
	{CodeTenantRequired, KindMalformed, "Send the shop's UID in the x-tenant header."},
	{CodeTenantNotFound, KindNotFound, "No shop has this UID."},
	{CodeTenantSuspended, KindForbidden, "The shop is closed for now."},
	{CodeUnauthenticated, KindUnauthenticated, "Sign in and send the access token as a Bearer."},
	{CodeTokenExpired, KindUnauthenticated, "The access token has run out: sign in again."},
	{CodeTokenInvalid, KindUnauthenticated, "The access token does not pass: sign in again."},
	{CodeForbidden, KindForbidden, "Known, and not allowed to do this."},
	{CodeInvalidCredentials, KindUnauthenticated, "The user or the password is wrong, or the account has no password."},
	{CodePasswordResetRequired, KindUnauthenticated, "The password is right and no longer signs in: sign in by a code sent to the phone, then set a new password."},
	{CodeOTPInvalid, KindUnauthenticated, "The code is wrong, used, too old, or was tried too often: ask for a new one."},
	{CodeNameRequired, KindInvalid, "The phone number is new here: send the same code again with a name."},
	{CodeSMSUnavailable, KindUnavailable, "No message could be sent: nothing was counted, try again in a moment or sign in with a password."},
	{CodeCustomerExists, KindConflict, "Another account has this e-mail address or phone number: sign in instead."},
	{CodePasswordRejected, KindInvalid, "The password breaks a rule or is too easy to guess: the message says why."},
	{CodeOutOfStock, KindConflict, "Too little is left: errors names the lines."},
	{CodePriceChanged, KindConflict, "The total is not the expected one: details has the new figures."},
	{CodePhoneRequired, KindInvalid, "An order needs a phone number."},
	{CodeDeliveryRequired, KindInvalid, "Choose one of the delivery charges that details lists."},
	{CodePaymentMethodUnavailable, KindInvalid, "The shop does not take this payment method for this order."},
	{CodeIdempotencyKeyReused, KindInvalid, "The idempotency key was used with another input."},
	{CodeNotCancellable, KindConflict, "The order has come too far to be cancelled: the message says how far."},
	{CodeNotPayable, KindConflict, "The order is paid, over, or paid in cash: the message says which."},
	{CodeStateConflict, KindConflict, "The order's state does not allow this: the message says what it is."},
	{CodeCouponNotFound, KindInvalid, "No coupon has this code."},
	{CodeCouponInactive, KindInvalid, "The coupon is switched off."},
	{CodeCouponNotStarted, KindInvalid, "The coupon does not apply yet."},
	{CodeCouponExpired, KindInvalid, "The coupon no longer applies."},
	{CodeCouponUsageLimit, KindInvalid, "The coupon has been used up."},
	{CodeCouponCustomerLimit, KindInvalid, "This customer has used the coupon as often as allowed."},
	{CodeCouponMinSubtotal, KindInvalid, "The order is below the coupon's minimum: the message says by how much."},
	{CodeCouponNotApplicable, KindInvalid, "The coupon is for other products."},
	{CodeCouponRequiresLogin, KindInvalid, "The coupon is for customers who are signed in."},
}

var kinds = func() map[Code]Kind {
	m := make(map[Code]Kind, len(codes))
	for _, c := range codes {
		m[c.Code] = c.Kind
	}
	return m
}()

// Codes lists every code that can come back, with its meaning.
func Codes() []CodeInfo { return slices.Clone(codes) }

// Kind gives the code's kind; an unknown code is [KindInternal].
func (c Code) Kind() Kind { return kinds[c] }
