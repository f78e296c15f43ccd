// Package shop is the domain: what a shop sells, who buys, and what an order goes through.
//
// It owns the types, the rules, the use cases and their SQL. It must not know HTTP, GraphQL,
// a vendor's protocol or the name of a file; transports decode, call one use case and encode.
//
// A use case is a method of [Shop] that validates its input, runs in one transaction and gives
// back a domain value or an [*Error]. Who calls is always a parameter (see [Caller]).
package shop
