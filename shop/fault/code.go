package fault

import "slices"

// The codes that the domain and its transports return. [Codes] lists them with their meaning.
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

	CodeUnauthenticated          Code = "unauthenticated"
	CodeTokenExpired             Code = "token_expired"
	CodeTokenInvalid             Code = "token_invalid"
	CodeForbidden                Code = "forbidden"
	CodeInvalidCredentials       Code = "invalid_credentials"
	CodeCustomerExists           Code = "customer_exists"
	CodePasswordRejected         Code = "password_rejected"
	CodePasswordResetRequired    Code = "password_reset_required"
	CodeOTPInvalid               Code = "otp_invalid"
	CodeNameRequired             Code = "name_required"
	CodeReauthenticationRequired Code = "reauthentication_required"
	CodeSMSUnavailable           Code = "sms_unavailable"
	CodeEmailUnavailable         Code = "email_unavailable"
	CodeWorkRequired             Code = "work_required"

	CodeProofRequired             Code = "proof_required"
	CodeSecondFactorRequired      Code = "second_factor_required"
	CodeSecondFactorSetupRequired Code = "second_factor_setup_required"
	CodeLinkInvalid               Code = "link_invalid"
	CodeShopExists                Code = "shop_exists"

	CodeOutOfStock               Code = "out_of_stock"
	CodePriceChanged             Code = "price_changed"
	CodePhoneRequired            Code = "phone_required"
	CodePhoneProofRequired       Code = "phone_proof_required"
	CodeQuantityLimit            Code = "quantity_limit"
	CodeTooManyOpenOrders        Code = "too_many_open_orders"
	CodeDeliveryRequired         Code = "delivery_charge_required"
	CodePaymentMethodUnavailable Code = "payment_method_unavailable"
	CodeIdempotencyKeyReused     Code = "idempotency_key_reused"
	CodeNotCancellable           Code = "not_cancellable"
	CodeNotPayable               Code = "not_payable"
	CodeStateConflict            Code = "state_conflict"
	CodeChangedMeanwhile         Code = "changed_meanwhile"
	CodeJobLimit                 Code = "job_limit"
	CodeImageInvalid             Code = "image_invalid"
	CodeQuotaReached             Code = "quota_reached"
	CodePlanLimit                Code = "plan_limit"
	CodeSettingLocked            Code = "setting_locked"
	CodeInUse                    Code = "in_use"

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
	{CodeInternal, KindInternal, "An unexpected error of the server. Try again; if it persists, report the request ID."},
	{CodeMalformed, KindMalformed, "The request could not be parsed: invalid JSON, a duplicate key, invalid UTF-8, or an array of GraphQL operations."},
	{CodeUnsupportedMediaType, KindUnsupported, "The content type is not supported: send the body as application/json."},
	{CodeTooLarge, KindTooLarge, "The request body exceeds the size limit."},
	{CodeMethodNotAllowed, KindMethod, "The path does not support this method: the Allow header lists those that it supports."},
	{CodeRateLimited, KindTooMany, "Too many requests or failed attempts: wait for the time in the Retry-After header."},
	{CodeUnavailable, KindUnavailable, "The service is temporarily unavailable or did not finish in time: " +
		"try again after the time in the Retry-After header."},
	{CodeNotFound, KindNotFound, "The resource does not exist, or the caller may not see it."},
	{CodeHTTPSRequired, KindForbidden, "The request was sent over plain HTTP: use HTTPS, and change any secret that was sent with it."},
	{CodeValidationFailed, KindInvalid, "At least one input is invalid: errors lists each of them."},
	{CodeRequired, KindInvalid, "A required input is missing."},
	{CodeInvalidValue, KindInvalid, "The value of the input is not allowed."},
	{CodeUnknownField, KindInvalid, "The body contains an unknown field: remove it."},
	{CodeTooComplex, KindInvalid, "The GraphQL document is too complex: select fewer fields, smaller pages or less depth."},
	{CodeTooManyOperations, KindInvalid, "A GraphQL document may sign in or verify a password only once: " +
		"send each further operation in a document of its own."},
	{CodeTenantRequired, KindMalformed, "Send the shop's UID in the x-tenant header."},
	{CodeTenantNotFound, KindNotFound, "No shop has this UID."},
	{CodeTenantSuspended, KindForbidden, "The shop is temporarily closed."},
	{CodeUnauthenticated, KindUnauthenticated, "Authentication is required: sign in and send the access token as a Bearer token."},
	{CodeTokenExpired, KindUnauthenticated, "The access token has expired: sign in again."},
	{CodeTokenInvalid, KindUnauthenticated, "The access token is invalid: sign in again."},
	{CodeForbidden, KindForbidden, "The caller is authenticated but not permitted to do this."},
	{CodeInvalidCredentials, KindUnauthenticated, "The user name or the password is wrong, or the account has no password."},
	{CodePasswordResetRequired, KindUnauthenticated, "The password is correct but must be replaced: " +
		"sign in with a code sent to the phone, then set a new password."},
	{CodeOTPInvalid, KindUnauthenticated, "The code is wrong, already used, expired, or was entered incorrectly too often: request a new one."},
	{CodeNameRequired, KindInvalid, "No account has verified this phone number yet: send the same code again with a name."},
	{CodeReauthenticationRequired, KindForbidden, "The access token is not sufficient for this change: " +
		"send the current password, or a code sent to the verified phone or e-mail address, too."},
	{CodeSMSUnavailable, KindUnavailable, "The text message could not be sent and does not count against the limits: " +
		"try again shortly or sign in with a password."},
	{CodeEmailUnavailable, KindUnavailable, "The e-mail could not be sent and does not count against the limits: " +
		"try again shortly or sign in in another way."},
	{CodeWorkRequired, KindForbidden, "The shop requires a proof of work: find a nonce so that the SHA-256 of details.challenge, a dot and the " +
		"nonce begins with details.difficulty zero bits, and send all three as X-Work-Proof with the same request. " +
		"A proof is valid once."},
	{CodeProofRequired, KindUnauthenticated, "The staff member must enter the password or a code again: a session alone does not permit this."},
	{CodeSecondFactorRequired, KindUnauthenticated, "The password is correct, and the account has a second factor: " +
		"send the same request again with a code. details.methods lists what is accepted."},
	{CodeSecondFactorSetupRequired, KindForbidden, "The shop requires a second factor: the staff member must set one up before anything else."},
	{CodeLinkInvalid, KindNotFound, "The link is unknown, expired or already used: request a new one."},
	{CodeShopExists, KindConflict, "A shop exists already: its owner invites staff members."},
	{CodeCustomerExists, KindConflict, "An account with this e-mail address or phone number already exists: sign in instead."},
	{CodePasswordRejected, KindInvalid, "The password breaks a rule or is too easy to guess: the message states the reason."},
	{CodeOutOfStock, KindConflict, "Not enough stock: errors lists the order lines concerned."},
	{CodePriceChanged, KindConflict, "The total differs from the expected total: details contains the new amounts."},
	{CodePhoneRequired, KindInvalid, "A phone number is required to place an order."},
	{CodePhoneProofRequired, KindInvalid, "The phone number must be verified for this order: sign in with a code sent to it, or pay online."},
	{CodeQuantityLimit, KindInvalid, "The order has more units than the shop accepts in one order: errors lists the order lines concerned."},
	{CodeTooManyOpenOrders, KindConflict, "Too many orders with this phone number or from this network wait for the shop's confirmation: " +
		"sign in with a code sent to the phone, pay online, or try again later."},
	{CodeDeliveryRequired, KindInvalid, "A delivery charge must be chosen: details lists those available."},
	{CodePaymentMethodUnavailable, KindInvalid, "The shop does not accept this payment method for this order: details lists its payment methods."},
	{CodeIdempotencyKeyReused, KindInvalid, "The idempotency key was already used with a different input: use a new key."},
	{CodeNotCancellable, KindConflict, "The order can no longer be cancelled: the message states the reason."},
	{CodeNotPayable, KindConflict, "The order cannot be paid online: it is paid, closed, or paid in cash. The message states the reason."},
	{CodeStateConflict, KindConflict, "The present status does not allow this operation: the message states the reason, " +
		"and to staff details.status the status."},
	{CodeChangedMeanwhile, KindPrecondition, "The record was changed since the client read it, and nothing was written: " +
		"compare with details.current and send the change again with its ETag."},
	{CodeJobLimit, KindConflict, "The shop has too many jobs that are queued or running: wait until one of them has ended, or cancel one."},
	{CodeImageInvalid, KindInvalid, "The file is not an image that can be stored: the message states the reason."},
	{CodeQuotaReached, KindConflict, "The shop has as many images, or as many bytes of them, as it can: delete unused ones."},
	{CodePlanLimit, KindConflict, "The shop's plan allows no more: remove some, or contact the operator of the server for a larger plan. " +
		"details has the plan, the limit, what is used, and max."},
	{CodeSettingLocked, KindForbidden, "The operator of the server sets this for all shops. details.key is what is locked."},
	{CodeInUse, KindConflict, "Other records refer to this one: remove it from them first. details.usedBy is their number."},
	{CodeCouponNotFound, KindInvalid, "No coupon has this code."},
	{CodeCouponInactive, KindInvalid, "The coupon is not active."},
	{CodeCouponNotStarted, KindInvalid, "The coupon is not valid yet."},
	{CodeCouponExpired, KindInvalid, "The coupon has expired."},
	{CodeCouponUsageLimit, KindInvalid, "The coupon has been used up."},
	{CodeCouponCustomerLimit, KindInvalid, "This customer has already used the coupon as often as allowed."},
	{CodeCouponMinSubtotal, KindInvalid, "The subtotal is below the coupon's minimum: the message states the missing amount."},
	{CodeCouponNotApplicable, KindInvalid, "The coupon does not apply to these products."},
	{CodeCouponRequiresLogin, KindInvalid, "The coupon is only for signed-in customers: sign in to use it."},
}

var kinds = func() map[Code]Kind {
	m := make(map[Code]Kind, len(codes))
	for _, c := range codes {
		m[c.Code] = c.Kind
	}
	return m
}()

// Codes returns every code that an error can have, with its meaning.
func Codes() []CodeInfo { return slices.Clone(codes) }

// Kind returns the code's kind; an unknown code is [KindInternal].
func (c Code) Kind() Kind { return kinds[c] }
