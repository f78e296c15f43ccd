// Package staff implements access for the people and programs that work for a shop: staff members
// with their roles, sign-in and sessions, API keys, the permissions of all of them, and the audit
// log.
//
// It owns their types, rules, use cases and SQL. It must not depend on orders, customers or the
// catalogue: their use cases receive [Staff.Authorize] as a function and identify themselves by an
// [access.UseCase].
package staff
