package access

// Permission is one kind of action that a staff member or an API key may have.
//
//api:enum Permission
type Permission string

// The permissions.
const (
	OrdersRead  Permission = "orders.read"  // view orders, shipments, notes
	OrdersWrite Permission = "orders.write" // confirm, note, edit, cancel, place orders
	// Set an order's prices, discount or delivery charge.
	OrdersDiscount Permission = "orders.discount"
	// Book, record, track, deliver, return shipments; mark documents as printed.
	OrdersFulfill Permission = "orders.fulfill"
	PaymentsRead  Permission = "payments.read"  // view payment attempts
	PaymentsWrite Permission = "payments.write" // resolve and refund payments
	ProductsRead  Permission = "products.read"  // view drafts and stock
	ProductsWrite Permission = "products.write" // change and import the catalogue
	StockWrite    Permission = "stock.write"    // change stock and low-stock levels
	CostsRead     Permission = "costs.read"     // view cost prices and margins
	// See amounts of money. Every API key has it.
	PricesRead      Permission = "prices.read"
	CustomersRead   Permission = "customers.read"   // view customers
	CustomersWrite  Permission = "customers.write"  // note, block, reset a password
	CustomersDelete Permission = "customers.delete" // erase a person
	Export          Permission = "export"           // files of orders, customers and cash
	CouponsRead     Permission = "coupons.read"     // view coupons
	CouponsWrite    Permission = "coupons.write"    // create, change and disable coupons
	SiteRead        Permission = "site.read"        // view redirects
	SiteWrite       Permission = "site.write"       // change the site
	CashRead        Permission = "cash.read"        // view cash on delivery
	CashWrite       Permission = "cash.write"       // reconcile couriers' statements
	AnalyticsRead   Permission = "analytics.read"   // view analytics
	AnalyticsWrite  Permission = "analytics.write"  // enter the costs of advertising
	SettingsRead    Permission = "settings.read"    // view settings, without secrets
	SettingsWrite   Permission = "settings.write"   // change settings
	// View couriers, gateways, SMS and their webhooks.
	ProvidersRead  Permission = "providers.read"
	ProvidersWrite Permission = "providers.write" // configure them, and the mode
	StaffRead      Permission = "staff.read"      // view staff members
	// Invite and change staff members, end their sessions.
	StaffWrite Permission = "staff.write"
	// Create and revoke API keys and webhook endpoints.
	KeysWrite Permission = "keys.write"
	AuditRead Permission = "audit.read" // view the audit log
	ShopClose Permission = "shop.close" // suspend and resume the shop

	// Operators of the server have these, in the installation and in no shop.
	InstallationRead Permission = "installation.read" // view all shops and the server's health
	// Create, suspend, resume, copy and move shops.
	ShopsWrite     Permission = "shops.write"
	ShopsDelete    Permission = "shops.delete"    // delete shops
	PlansWrite     Permission = "plans.write"     // change plans, and assign them to shops
	DefaultsWrite  Permission = "defaults.write"  // change what shops inherit
	StatusWrite    Permission = "status.write"    // announce incidents on the status page
	ShopsEnter     Permission = "shops.enter"     // enter a shop, and create links for its owners
	OperatorsRead  Permission = "operators.read"  // view the operators and what they did
	OperatorsWrite Permission = "operators.write" // invite, change and remove operators

	// OperatorOnly is held by nobody in the shop: the use case is reserved for the operator.
	OperatorOnly Permission = "operator"
	// Any is held by every staff member and every API key: the use case returns what the caller's
	// other permissions allow.
	Any Permission = "any"
	// Own is held by every staff member with a session: the use case concerns the staff member alone.
	// API keys and the operator do not have it.
	Own Permission = "own"
	// Anybody marks a use case that verifies the caller's password, code or link itself.
	Anybody Permission = "anybody"
)

// Permissions returns the permissions that can be granted, in the order of the reference.
func Permissions() []Permission {
	return []Permission{
		OrdersRead, OrdersWrite, OrdersDiscount, OrdersFulfill, PaymentsRead, PaymentsWrite,
		ProductsRead, ProductsWrite, StockWrite, PricesRead, CostsRead,
		CustomersRead, CustomersWrite, CustomersDelete, Export, CouponsRead, CouponsWrite, SiteRead, SiteWrite, CashRead, CashWrite,
		AnalyticsRead, AnalyticsWrite,
		SettingsRead, SettingsWrite, ProvidersRead, ProvidersWrite, StaffRead, StaffWrite, KeysWrite, AuditRead, ShopClose,
	}
}

// InstallationPermissions returns the permissions of operators, in the order of the reference.
func InstallationPermissions() []Permission {
	return []Permission{InstallationRead, ShopsWrite, ShopsDelete, PlansWrite, DefaultsWrite, StatusWrite, ShopsEnter, OperatorsRead, OperatorsWrite}
}
