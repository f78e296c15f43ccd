package admin

// The tags of operations, in the order of the reference.
const (
	tagSession       = "Signing in"
	tagHome          = "Home and search"
	tagOrders        = "Orders"
	tagJobs          = "Actions on many"
	tagProducts      = "Products and stock"
	tagCoupons       = "Coupons"
	tagSite          = "Site"
	tagCustomers     = "Customers"
	tagPayments      = "Payments"
	tagCash          = "Cash on delivery"
	tagAnalytics     = "Analytics"
	tagAdvertising   = "Advertising"
	tagSettings      = "Settings"
	tagProviders     = "Providers"
	tagMessages      = "Messages"
	tagStaff         = "Staff and keys"
	tagNotifications = "Notifications"
	tagEvents        = "Events"
	tagWebhooks      = "Webhook endpoints"
	tagOperators     = "Operators"
)

// webhooksDescription describes webhooks for receivers.
const webhooksDescription = `URLs of other systems that receive the shop's events, as [Standard Webhooks](https://www.standardwebhooks.com).

A webhook is a POST with the JSON ` + "`type`, `timestamp`, `tenant` and `data`" + `: the data of the event as followEvents reports
it, and for the payload ` + "`full` also `order`" + `, as getOrder returns it, if the event concerns an order or a shipment. Any status from
200 to 299 within 15 seconds accepts it. After anything else it is repeated after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and
24 hours, or later if Retry-After requests that. The header webhook-id is the same in every attempt, so that a receiver can ignore what
it already has. The status 410, or five days in which every attempt fails, disables the endpoint.

To verify a webhook, compute the HMAC-SHA256 of webhook-id, webhook-timestamp and body, joined by dots, with the bytes that the
secret has in base64 after whsec_; webhook-signature has it in base64 after v1, and after a rotation a second one.`

// operatorsDescription describes operations of operators.
const operatorsDescription = `Operators run the server, and see all its shops. Their sessions open these operations and no shop: to work in
one, an operator enters it with a reason, for an hour, and the shop's audit log has both. storefront operator create invites the first.`

// Tag is a group of operations in the reference.
type Tag struct{ Name, Description string }

// Tags returns the tags, in the order of the reference.
func Tags() []Tag {
	return []Tag{
		{tagSession, "Sessions of staff members, for a dashboard, and their own settings."},
		{tagHome, "The work to be done, problems of the shop, and one search for everything."},
		{tagOrders, "Orders from confirmation to delivery, their shipments and what staff must check."},
		{tagJobs, "One action on many records, as a job that continues after a restart."},
		{tagProducts, "Products, collections and stock, of any status."},
		{tagCoupons, "Discount codes with their rules and uses."},
		{tagSite, "What the site for buyers has beside the products."},
		{tagCustomers, "Customers' accounts and requests for personal data."},
		{tagPayments, "Attempts to pay online: review and refunds."},
		{tagCash, "Cash that couriers collect: the ledger, their balances and their statements."},
		{tagAnalytics, "Sales in a period, compared with an earlier one."},
		{tagAdvertising, "Advertisers that receive orders of buyers who have consented, and what they answered."},
		{tagSettings, "The shop's settings, its mode, and suspending it."},
		{tagProviders, "Couriers and payment gateways, and the webhooks that they sent."},
		{tagMessages, "Messages to buyers, and the gateway of text messages and the mail server that send them."},
		{tagStaff, "Staff members, API keys and the audit log."},
		{tagNotifications, "How staff members are notified: by push messages, Telegram, text messages and e-mails."},
		{tagEvents, "Live updates."},
		{tagWebhooks, webhooksDescription},
		{tagOperators, operatorsDescription},
	}
}
