// Package graphql is the GraphQL transport: it reads a request, runs its document over one shop
// and writes the answer.
//
// Each entity has a .graphql file beside the Go file that resolves it. A resolver decodes its
// arguments, calls one use case of package shop and gives the result GraphQL's form; rules live in
// shop, so that REST and GraphQL cannot disagree. The package must not know SQL, how a shop is
// found or how a caller is told from the request's headers.
package graphql
