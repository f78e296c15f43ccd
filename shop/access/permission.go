package access

// Permission is a right of a staff member or an API key.
type Permission string

// The permissions.
const (
	OrdersRead      Permission = "orders.read"      // view orders, shipments, notes
	OrdersWrite     Permission = "orders.write"     // confirm, note, edit, cancel, place orders
	OrdersDiscount  Permission = "orders.discount"  // set an order's prices, discount or delivery charge
	OrdersFulfill   Permission = "orders.fulfill"   // book, record, track, deliver, return shipments
	PaymentsRead    Permission = "payments.read"    // view payment attempts
	PaymentsWrite   Permission = "payments.write"   // resolve and refund payments
	ProductsRead    Permission = "products.read"    // view drafts and stock
	ProductsWrite   Permission = "products.write"   // change and import the catalogue
	StockWrite      Permission = "stock.write"      // stock counts and low-stock thresholds
	CostsRead       Permission = "costs.read"       // cost prices and margins
	CustomersRead   Permission = "customers.read"   // view customers
	CustomersWrite  Permission = "customers.write"  // note, block, reset a password
	CustomersDelete Permission = "customers.delete" // erase a person
	Export          Permission = "export"           // files of orders, customers, cash
	CouponsRead     Permission = "coupons.read"
	CouponsWrite    Permission = "coupons.write"
	CashRead        Permission = "cash.read"  // the COD ledger
	CashWrite       Permission = "cash.write" // couriers' statements
	AnalyticsRead   Permission = "analytics.read"
	SettingsRead    Permission = "settings.read" // without secrets
	SettingsWrite   Permission = "settings.write"
	ProvidersRead   Permission = "providers.read"  // couriers, gateways, SMS and their webhooks
	ProvidersWrite  Permission = "providers.write" // configure them, and the mode
	StaffRead       Permission = "staff.read"
	StaffWrite      Permission = "staff.write" // invite and change staff members, end their sessions
	KeysWrite       Permission = "keys.write"  // API keys and webhook endpoints
	AuditRead       Permission = "audit.read"
	ShopClose       Permission = "shop.close" // suspend, resume

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
		OrdersRead, OrdersWrite, OrdersDiscount, OrdersFulfill, PaymentsRead, PaymentsWrite, ProductsRead, ProductsWrite, StockWrite, CostsRead,
		CustomersRead, CustomersWrite, CustomersDelete, Export, CouponsRead, CouponsWrite, CashRead, CashWrite, AnalyticsRead,
		SettingsRead, SettingsWrite, ProvidersRead, ProvidersWrite, StaffRead, StaffWrite, KeysWrite, AuditRead, ShopClose,
	}
}
