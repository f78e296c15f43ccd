// Package courierb speaks the protocol of courier_b: it reads the courier's calls and books parcels.
//
// It knows nothing of orders or tenants; it turns the courier's words into those of package shop.
package courierb
