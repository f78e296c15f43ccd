// Package couriera speaks the protocol of courier_a: it reads the courier's calls and books parcels.
//
// It knows nothing of orders or tenants; it turns the courier's words into those of package shop.
package couriera
