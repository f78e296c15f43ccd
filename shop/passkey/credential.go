package passkey

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"storefront/db"
	"storefront/shop/fault"
)

// maxBytes limits each value of an authenticator: attestations have certificates.
const maxBytes = 16 << 10

// Attestation is a new passkey, with the fields of the same names that
// PublicKeyCredential.toJSON returns for navigator.credentials.create.
type Attestation struct {
	ID                string    `json:"id" doc:"Of the credential, base64url"`
	ClientDataJSON    string    `json:"clientDataJSON" doc:"base64url"`
	AttestationObject string    `json:"attestationObject" doc:"base64url"`
	Transports        *[]string `json:"transports,omitempty" nullable:"true" doc:"From getTransports()"`
}

// Assertion is a proof by a passkey, with the fields of the same names that
// PublicKeyCredential.toJSON returns for navigator.credentials.get.
type Assertion struct {
	ID                string  `json:"id" doc:"Of the credential, base64url"`
	ClientDataJSON    string  `json:"clientDataJSON" doc:"base64url"`
	AuthenticatorData string  `json:"authenticatorData" doc:"base64url"`
	Signature         string  `json:"signature" doc:"base64url"`
	UserHandle        *string `json:"userHandle,omitempty" doc:"base64url; required to sign in"`
}

// errRejected returns the error about an answer of an authenticator. Details help no honest user.
func errRejected(err error) error {
	e := fault.Errorf(fault.CodeInvalidCredentials, "The passkey was not accepted. Start again.")
	e.Err = err
	return e
}

// decode returns base64url text, "" as nil.
func decode(text string) ([]byte, error) {
	if len(text) > base64.RawURLEncoding.EncodedLen(maxBytes) {
		return nil, errors.New("too long")
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode base64url: %w", err)
	}
	return raw, nil
}

// CredentialID returns the ID of the credential, nil if it has none.
func (a Assertion) CredentialID() []byte {
	id, err := decode(a.ID)
	if err != nil {
		return nil
	}
	return id
}

// ClientData returns the data that the browser has signed, nil if it has none.
func (a Assertion) ClientData() []byte {
	data, err := decode(a.ClientDataJSON)
	if err != nil {
		return nil
	}
	return data
}

// ClientData returns the data that the browser has signed, nil if it has none.
func (a Attestation) ClientData() []byte {
	return Assertion{ClientDataJSON: a.ClientDataJSON}.ClientData()
}

// account implements [webauthn.User] for one passkey.
type account struct {
	handle      []byte
	credentials []webauthn.Credential
}

func (a account) WebAuthnID() []byte                         { return a.handle }
func (a account) WebAuthnName() string                       { return "" }
func (a account) WebAuthnDisplayName() string                { return "" }
func (a account) WebAuthnCredentials() []webauthn.Credential { return a.credentials }

// verifier returns the library for pages of the site, and the state of a ceremony.
func (s Site) verifier(c Challenge, handle []byte) (*webauthn.WebAuthn, webauthn.SessionData, error) {
	library, err := webauthn.New(&webauthn.Config{
		RPID: s.host, RPDisplayName: s.host, RPOrigins: []string{s.origin},
		// Browsers may add results of extensions that no page has requested.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	session := webauthn.SessionData{
		Challenge: c.text, RelyingPartyID: s.host, Origin: s.origin, UserID: handle, UserVerification: protocol.VerificationRequired,
	}
	for _, algorithm := range algorithms() {
		session.CredParams = append(session.CredParams, protocol.CredentialParameter{Type: publicKey, Algorithm: algorithm})
	}
	return library, session, err
}

// knownTransports are the ways to reach an authenticator that are stored.
var knownTransports = []string{"ble", "hybrid", "internal", "nfc", "smart-card", "usb"}

// Verify verifies a new passkey of the account with a user handle, and returns it without its ID
// and name. Codes: invalid_credentials.
func (s Site) Verify(c Challenge, handle []byte, in Attestation) (Row, error) {
	library, session, err := s.verifier(c, handle)
	if err != nil {
		return Row{}, err
	}
	id, err1 := decode(in.ID)
	clientData, err2 := decode(in.ClientDataJSON)
	object, err3 := decode(in.AttestationObject)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Row{}, errRejected(err)
	}
	parsed, err := protocol.CredentialCreationResponse{
		PublicKeyCredential: protocol.PublicKeyCredential{
			Credential: protocol.Credential{ID: base64.RawURLEncoding.EncodeToString(id), Type: publicKey}, RawID: protocol.URLEncodedBase64(id),
		},
		AttestationResponse: protocol.AuthenticatorAttestationResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: protocol.URLEncodedBase64(clientData)},
			AttestationObject:     protocol.URLEncodedBase64(object),
		},
	}.Parse()
	if err != nil {
		return Row{}, errRejected(err)
	}
	created, err := library.CreateCredential(account{handle: handle}, session, parsed)
	if err != nil {
		return Row{}, errRejected(err)
	}
	row := Row{
		CredentialID: created.ID, PublicKey: created.PublicKey, Handle: handle, SignCount: int64(created.Authenticator.SignCount),
		BackupEligible: created.Flags.BackupEligible, Transports: []string{},
	}
	row.Host, row.Synced = s.host, created.Flags.BackupState
	for _, known := range knownTransports {
		if in.Transports != nil && slices.Contains(*in.Transports, known) {
			row.Transports = append(row.Transports, known)
		}
	}
	return row, nil
}

// Check verifies a proof by a passkey that was created at the site, and sets its sign count. cloned
// reports a correct proof with a count that was used before: a second device has the private key.
// Codes: invalid_credentials.
func (s Site) Check(c Challenge, row *Row, in Assertion) (cloned bool, err error) {
	library, session, err := s.verifier(c, row.Handle)
	if err != nil {
		return false, err
	}
	clientData, err1 := decode(in.ClientDataJSON)
	data, err2 := decode(in.AuthenticatorData)
	signature, err3 := decode(in.Signature)
	handle, err4 := decode(db.TextOf(in.UserHandle))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return false, errRejected(err)
	}
	if row.Host != s.host {
		return false, errRejected(errors.New("the passkey was created at another host"))
	}
	parsed, err := protocol.CredentialAssertionResponse{
		PublicKeyCredential: protocol.PublicKeyCredential{
			Credential: protocol.Credential{ID: base64.RawURLEncoding.EncodeToString(row.CredentialID), Type: publicKey},
			RawID:      protocol.URLEncodedBase64(row.CredentialID),
		},
		AssertionResponse: protocol.AuthenticatorAssertionResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: protocol.URLEncodedBase64(clientData)},
			AuthenticatorData:     protocol.URLEncodedBase64(data), Signature: protocol.URLEncodedBase64(signature),
			UserHandle: protocol.URLEncodedBase64(handle),
		},
	}.Parse()
	if err != nil {
		return false, errRejected(err)
	}
	checked, err := library.ValidateLogin(account{row.Handle, []webauthn.Credential{{
		ID: row.CredentialID, PublicKey: row.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: row.BackupEligible},
		Authenticator: webauthn.Authenticator{SignCount: uint32(row.SignCount)},
	}}}, session, parsed)
	if err != nil {
		return false, errRejected(err)
	}
	row.SignCount, row.Synced = int64(checked.Authenticator.SignCount), checked.Flags.BackupState
	return checked.Authenticator.CloneWarning, nil
}
