// Package staff implements access for those who work for a shop: staff members with their roles,
// sign-in and sessions, API keys, the permissions of all of them, and the audit log.
//
// It owns the types, rules, use cases and SQL of these. It must not know orders, customers or the
// catalogue: their use cases receive [Staff.Authorize] as a function and name themselves by an
// [access.UseCase].
package staff
