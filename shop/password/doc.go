// Package password has the rules for a new password and hashes passwords with argon2id, a bounded
// number concurrently.
package password
