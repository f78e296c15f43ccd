// Package provider is the way out of the process: the one HTTP client that every adapter of a
// gateway, courier or payment service calls with, and the guard of the pages that development
// serves to this machine only.
//
// It knows no vendor and nothing of the shop; the adapters in the folders below it do.
package provider
