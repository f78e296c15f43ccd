// Package phone parses phone numbers as people type them into E.164, by the numbering plans of
// plan.txt.
package phone
