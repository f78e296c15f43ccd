// Package money computes with amounts in minor units and formats them by currency, without floats.
package money
