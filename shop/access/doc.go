// Package access defines the caller of a use case, the permissions of staff, and a rule for each
// use case: the permission that it requires and its name in the audit log. It must not know a shop.
package access
