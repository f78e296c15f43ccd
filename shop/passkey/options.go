package passkey

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// CreationOptions are the options of navigator.credentials.create, as
// PublicKeyCredential.parseCreationOptionsFromJSON reads them.
type CreationOptions struct {
	RP                     RelyingParty  `json:"rp"`
	User                   User          `json:"user"`
	Challenge              string        `json:"challenge" doc:"Valid for five minutes, and once"`
	Parameters             []Parameter   `json:"pubKeyCredParams" nullable:"false"`
	Timeout                int64         `json:"timeout" doc:"In milliseconds"`
	Exclude                []Descriptor  `json:"excludeCredentials" nullable:"false" doc:"Passkeys of the account at this host"`
	AuthenticatorSelection Authenticator `json:"authenticatorSelection"`
	Attestation            string        `json:"attestation" doc:"none"`
}

// RequestOptions are the options of navigator.credentials.get, as
// PublicKeyCredential.parseRequestOptionsFromJSON reads them.
type RequestOptions struct {
	Challenge        string       `json:"challenge" doc:"Valid for five minutes, and once"`
	RPID             string       `json:"rpId" doc:"The host of the page"`
	Timeout          int64        `json:"timeout" doc:"In milliseconds"`
	Allow            []Descriptor `json:"allowCredentials" nullable:"false" doc:"Passkeys that prove the session; empty to sign in with any"`
	UserVerification string       `json:"userVerification" doc:"required"`
}

// RelyingParty is the site that a passkey is for.
type RelyingParty struct {
	ID   string `json:"id" doc:"The host of the page"`
	Name string `json:"name"`
}

// User is an account as the authenticator shows it.
type User struct {
	ID          string `json:"id" doc:"Of the account, without a name or a contact; base64url"`
	Name        string `json:"name" doc:"E-mail address or phone number, and the shop"`
	DisplayName string `json:"displayName"`
}

// Parameter is an accepted kind of key.
type Parameter struct {
	Type      string `json:"type" doc:"public-key"`
	Algorithm int    `json:"alg" doc:"COSE algorithm"`
}

// Descriptor is a passkey in options.
type Descriptor struct {
	Type       string   `json:"type" doc:"public-key"`
	ID         string   `json:"id" doc:"Of the credential, base64url"`
	Transports []string `json:"transports" nullable:"false"`
}

// Authenticator is what an authenticator must be able to do.
type Authenticator struct {
	ResidentKey        string `json:"residentKey" doc:"required"`
	RequireResidentKey bool   `json:"requireResidentKey" doc:"For older browsers"`
	UserVerification   string `json:"userVerification" doc:"required"`
}

const (
	publicKey = "public-key"
	required  = "required"
)

// algorithms are the accepted kinds of keys. Windows Hello has RS256 alone.
func algorithms() []webauthncose.COSEAlgorithmIdentifier {
	return []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgES256, webauthncose.AlgEdDSA, webauthncose.AlgRS256}
}

// NewUser returns the user of options with a user handle.
func NewUser(handle []byte, name, displayName string) User {
	return User{base64.RawURLEncoding.EncodeToString(handle), name, displayName}
}

// HandleOf returns the user handle of a shop's account. It is the same for all passkeys of the
// account, so that an authenticator has one of each account, and another one in a copy of the shop.
func HandleOf(shop, account string) []byte {
	sum := sha256.Sum256([]byte("passkeys of\x00" + shop + "\x00" + account))
	return sum[:]
}

// Create returns options to create a passkey with a challenge.
func (s Site) Create(challenge, siteName string, user User, existing []Row) *CreationOptions {
	o := &CreationOptions{
		RP: RelyingParty{s.host, siteName}, User: user, Challenge: challenge, Timeout: challengeLifetime.Milliseconds(),
		Exclude: s.descriptors(existing), Attestation: "none",
		AuthenticatorSelection: Authenticator{ResidentKey: required, RequireResidentKey: true, UserVerification: required},
	}
	for _, algorithm := range algorithms() {
		o.Parameters = append(o.Parameters, Parameter{publicKey, int(algorithm)})
	}
	return o
}

// Request returns options to sign a challenge with one of the allowed passkeys, or with any if
// there are none.
func (s Site) Request(challenge string, allowed []Row) *RequestOptions {
	return &RequestOptions{
		Challenge: challenge, RPID: s.host, Timeout: challengeLifetime.Milliseconds(), Allow: s.descriptors(allowed), UserVerification: required,
	}
}

// descriptors returns the passkeys that were created at the site.
func (s Site) descriptors(rows []Row) []Descriptor {
	list := []Descriptor{}
	for i := range rows {
		if rows[i].Host == s.host {
			list = append(list, Descriptor{publicKey, base64.RawURLEncoding.EncodeToString(rows[i].CredentialID), rows[i].Transports})
		}
	}
	return list
}
