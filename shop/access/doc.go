// Package access defines the caller of a use case, the permissions of staff, and which use case
// needs which of them and is recorded in the audit log as what. It must not know a shop.
package access
