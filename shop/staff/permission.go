package staff

import (
	"slices"

	"storefront/shop/access"
)

// Role is a set of permissions of a staff member.
//
//api:enum Role
type Role string

// The roles.
const (
	RoleOwner   Role = "owner"   // every permission
	RoleManager Role = "manager" // all but API keys, credentials of providers and closing the shop
	RoleStaff   Role = "staff"   // the day's work: orders, shipments, stock and customers
	RolePacker  Role = "packer"  // packs and books orders, and sees no amount of money
	RoleViewer  Role = "viewer"  // views, and changes nothing
)

// Roles returns the roles, the most powerful first.
func Roles() []Role { return []Role{RoleOwner, RoleManager, RoleStaff, RolePacker, RoleViewer} }

// grant states whether a role has a permission.
type grant uint8

const (
	no     grant = iota
	yes          // granted
	proven       // granted, but a session needs a recent proof
)

// grants is the table of permissions, by role in the order of [Roles].
var grants = map[access.Permission][5]grant{
	access.OrdersRead:      {yes, yes, yes, yes, yes},
	access.OrdersWrite:     {yes, yes, yes, no, no},
	access.OrdersDiscount:  {yes, yes, no, no, no},
	access.OrdersFulfill:   {yes, yes, yes, yes, no},
	access.PaymentsRead:    {yes, yes, no, no, yes},
	access.PaymentsWrite:   {proven, proven, no, no, no},
	access.ProductsRead:    {yes, yes, yes, no, yes},
	access.ProductsWrite:   {yes, yes, no, no, no},
	access.StockWrite:      {yes, yes, yes, no, no},
	access.PricesRead:      {yes, yes, yes, no, yes},
	access.CostsRead:       {yes, yes, no, no, yes},
	access.CustomersRead:   {yes, yes, yes, no, yes},
	access.CustomersWrite:  {yes, yes, yes, no, no},
	access.CustomersDelete: {proven, proven, no, no, no},
	access.Export:          {proven, proven, no, no, no},
	access.CouponsRead:     {yes, yes, yes, no, yes},
	access.CouponsWrite:    {yes, yes, no, no, no},
	access.SiteRead:        {yes, yes, yes, no, yes},
	access.SiteWrite:       {yes, yes, no, no, no},
	access.CashRead:        {yes, yes, no, no, yes},
	access.CashWrite:       {yes, yes, no, no, no},
	access.AnalyticsRead:   {yes, yes, no, no, yes},
	access.AnalyticsWrite:  {yes, yes, no, no, no},
	access.SettingsRead:    {yes, yes, yes, no, yes},
	access.SettingsWrite:   {yes, yes, no, no, no},
	access.ProvidersRead:   {yes, yes, no, no, no},
	access.ProvidersWrite:  {proven, no, no, no, no},
	access.StaffRead:       {yes, yes, no, no, no},
	access.StaffWrite:      {proven, proven, no, no, no},
	access.KeysWrite:       {proven, no, no, no, no},
	access.AuditRead:       {yes, yes, no, no, no},
	access.ShopClose:       {proven, no, no, no, no},
}

// operatorGrants is the table of the permissions of operators, by role in the order of
// [OperatorRoles].
var operatorGrants = map[access.Permission][3]grant{
	access.InstallationRead: {yes, yes, yes},
	access.ShopsWrite:       {proven, proven, no},
	access.ShopsDelete:      {proven, no, no},
	access.PlansWrite:       {proven, no, no},
	access.DefaultsWrite:    {proven, no, no},
	access.StatusWrite:      {proven, proven, no},
	access.ShopsEnter:       {proven, proven, no},
	access.OperatorsRead:    {yes, yes, no},
	access.OperatorsWrite:   {proven, no, no},
}

// grantOf returns the grant of a role.
func (r Role) grantOf(p access.Permission) grant {
	i := slices.Index(Roles(), r)
	switch {
	case i < 0:
		return no
	case p == access.Any:
		return yes
	case isOfInstallation(p):
		i = slices.Index(OperatorRoles(), operatorRoleOf(r))
		if i < 0 {
			return no
		}
		return operatorGrants[p][i]
	}
	return grants[p][i]
}

// Has reports whether the role has a permission.
func (r Role) Has(p access.Permission) bool { return r.grantOf(p) != no }

// NeedsProof reports whether a session needs a recent proof for a permission that its staff member
// has: for a permission granted beside the role, the strictest rule of any role applies.
func NeedsProof(p access.Permission) bool {
	row, ofOperators := grants[p], operatorGrants[p]
	return slices.Contains(row[:], proven) || slices.Contains(ofOperators[:], proven)
}

// Scope is a permission that an API key can have, or [ScopeAll].
type Scope string

// ScopeAll is the scope of a key that has every permission that a key can have.
const ScopeAll Scope = "*"

// canBeScope reports whether an API key can have a permission beside those that every key has: a
// key is never an owner.
func canBeScope(p access.Permission) bool {
	switch p {
	case access.StaffWrite, access.KeysWrite, access.ShopClose, access.PricesRead:
		return false
	}
	return slices.Contains(access.Permissions(), p)
}

// Scopes returns the permissions that an API key can have.
func Scopes() []access.Permission {
	return slices.DeleteFunc(access.Permissions(), func(p access.Permission) bool { return !canBeScope(p) })
}
