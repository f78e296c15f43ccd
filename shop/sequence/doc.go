// Package sequence generates identifiers and numbers: ULIDs for rows, random codes that are easy
// to read aloud, and counters such as the order number.
package sequence
