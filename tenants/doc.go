// Package tenants decides which shop answers. It finds the shop of a UID, keeps the key that seals
// the shops' secrets, and makes, closes and deletes shops.
//
// It must not know HTTP, GraphQL, or the tables of a shop's file.
package tenants
