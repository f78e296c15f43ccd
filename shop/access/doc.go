// Package access says who makes a request. It must not know a shop or its database.
package access
