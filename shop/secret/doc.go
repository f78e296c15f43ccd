// Package secret stores a shop's secrets: sealed values of the table secrets, and the keys that
// belong to the shop itself.
//
// A secret is encrypted by a [Sealer] of the shop, which binds it to the shop and to its name;
// package tenants implements it with the data folder's key (AES-GCM, tenants/key.go). The shop's
// own keys are the signing keys of access tokens and one master key. A key for each other purpose
// is derived from the master key. The package must not depend on the meaning of the values: callers
// choose the names.
package secret
