// Package fault has the domain's one error type and the catalogue of its codes.
//
// It must not know a transport: REST and GraphQL map a [Kind] to a status of their own.
package fault
