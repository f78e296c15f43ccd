// Package access defines the caller of a use case, the permissions of staff, and the use cases of
// staff, each with the permission that it requires and its name in the audit log. The roles, and
// what each permits, are in package staff. It must not depend on a shop's data.
package access
