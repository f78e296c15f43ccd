package admin

// The tags of operations, in the order of the reference.
const (
	tagOrders    = "Orders"
	tagJobs      = "Actions on many"
	tagPayments  = "Payments"
	tagProducts  = "Products and stock"
	tagCoupons   = "Coupons"
	tagCustomers = "Customers"
	tagCash      = "Cash on delivery"
	tagSettings  = "Settings"
	tagProviders = "Providers"
	tagMessages  = "Messages"
	tagStaff     = "Staff and keys"
	tagSession   = "Signing in"
	tagEvents    = "Events"
)

// Tag is a group of operations in the reference.
type Tag struct{ Name, Description string }

// Tags returns the tags, in the order of the reference.
func Tags() []Tag {
	return []Tag{
		{tagSession, "Sessions of staff members, for a dashboard, and what staff members change about themselves."},
		{tagOrders, "Orders from confirmation to delivery, their shipments and what staff must check."},
		{tagJobs, "One action on many records, as a job that continues after a restart."},
		{tagPayments, "Attempts to pay online: review and refunds."},
		{tagProducts, "Products, collections and stock, of any status."},
		{tagCoupons, "Discount codes with their rules and uses."},
		{tagCustomers, "Customers' accounts and requests for personal data."},
		{tagCash, "Cash that couriers collect: the ledger, what they hold, and their statements."},
		{tagSettings, "The shop's settings and what needs attention."},
		{tagProviders, "Couriers and payment gateways, and the webhooks that they sent."},
		{tagMessages, "Messages to buyers, and the gateway of text messages and the mail server that send them."},
		{tagStaff, "Staff members, API keys and the audit log."},
		{tagEvents, "Live updates."},
	}
}
