package shoptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"testing"

	"storefront/shop/passkey"
)

// Flags of an authenticator's data.
const (
	userPresent  = 0x01
	userVerified = 0x04
	attestedData = 0x40
)

// Authenticator is an authenticator with one passkey, in a browser at a page.
type Authenticator struct {
	Origin string // of the page, such as https://shop.example
	RPID   string // that it signs for; "" means the host of the page
	// Count is the sign count, which grows with each use; 0 before the first.
	Count uint32
	// Unverified means that it does not verify its user.
	Unverified bool

	id, handle []byte
	key        *ecdsa.PrivateKey
}

// NewAuthenticator returns an authenticator in a browser at a page.
func NewAuthenticator(tb testing.TB, origin string) *Authenticator {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	a := &Authenticator{Origin: origin, id: make([]byte, 20), key: key}
	rand.Read(a.id)
	return a
}

// ID returns the ID of the credential.
func (a *Authenticator) ID() string { return base64.RawURLEncoding.EncodeToString(a.id) }

func (a *Authenticator) clientData(ceremony, challenge string) []byte {
	return fmt.Appendf(nil, `{"type":"webauthn.%s","challenge":"%s","origin":"%s","crossOrigin":false}`, ceremony, challenge, a.Origin)
}

func (a *Authenticator) data(tb testing.TB, flags byte) []byte {
	tb.Helper()
	id := a.RPID
	if id == "" {
		page, err := url.Parse(a.Origin)
		if err != nil {
			tb.Fatal(err)
		}
		id = page.Hostname()
	}
	if !a.Unverified {
		flags |= userVerified
	}
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.AppendUint32(append(sum[:], flags|userPresent), a.Count)
}

// Create creates the passkey.
func (a *Authenticator) Create(tb testing.TB, o *passkey.CreationOptions) passkey.Attestation {
	tb.Helper()
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	if err != nil {
		tb.Fatal(err)
	}
	a.handle = handle
	public, err := a.key.PublicKey.Bytes() // 4, X and Y
	if err != nil {
		tb.Fatal(err)
	}
	data := append(a.data(tb, attestedData), make([]byte, 16)...) // no AAGUID
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	// COSE, in CBOR: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: X, -3: Y}
	data = append(data, 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20)
	data = append(append(append(data, public[1:33]...), 0x22, 0x58, 0x20), public[33:]...)
	object := append([]byte{0xa3, 0x63}, "fmt\x64none\x67attStmt\xa0\x68authData\x58"...)
	object = append(append(object, byte(len(data))), data...)
	encode := base64.RawURLEncoding.EncodeToString
	return passkey.Attestation{
		ID: a.ID(), ClientDataJSON: encode(a.clientData("create", o.Challenge)), AttestationObject: encode(object), Transports: &[]string{"internal"},
	}
}

// Sign signs the challenge of options.
func (a *Authenticator) Sign(tb testing.TB, o *passkey.RequestOptions) passkey.Assertion {
	tb.Helper()
	data, client := a.data(tb, 0), a.clientData("get", o.Challenge)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], sum[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		tb.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return passkey.Assertion{
		ID: a.ID(), ClientDataJSON: encode(client), AuthenticatorData: encode(data), Signature: encode(signature), UserHandle: new(encode(a.handle)),
	}
}
