// Package money counts amounts in minor units and formats them by currency. No float is involved.
package money
