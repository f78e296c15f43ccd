// Package passkey has the ceremonies of passkeys (WebAuthn) for the accounts of a shop: challenges,
// options for a page's script, and the verification of an authenticator's answers. It owns the
// columns of passkeys in the tables of accounts, and the challenges that were used. It knows no
// sessions and no roles: the accounts decide what a verified passkey permits.
package passkey
