// Package access defines the caller of a use case. It must not know a shop or its database.
package access
