// Package fault defines the domain's one error type and the list of its codes.
//
// It must not know a transport: REST and GraphQL map a [Kind] to a status of their own.
package fault
