package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// Written by hand: the standard library has the cryptography, and webpush-go would bring an
// HTTP client without the limits of package provider.

// Sizes of RFC 8188 and RFC 8291, in bytes.
const (
	saltSize   = 16
	keySize    = 16
	nonceSize  = 12
	recordSize = 4096 // one record has the whole message
	// maxText is the space for text in a record, without the header, the delimiter and the tag of the
	// cipher.
	maxText = recordSize - saltSize - 4 - 1 - 65 - 1 - 16
)

// errTooLong means that a text does not fit in a message, for any browser.
var errTooLong = fmt.Errorf("a push message has at most %d bytes", maxText)

// encrypt encrypts a text for a browser, as aes128gcm. public and auth are the keys of its
// subscription.
func encrypt(text, public, auth []byte) ([]byte, error) {
	local, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	salt := make([]byte, saltSize)
	rand.Read(salt)
	return encryptWith(text, public, auth, local, salt)
}

// encryptWith is encrypt with a local key and a salt. Both must be used only once.
func encryptWith(text, public, auth []byte, local *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%w, this one %d", errTooLong, len(text))
	}
	remote, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("key of the browser: %w", err)
	}
	shared, err := local.ECDH(remote)
	if err != nil {
		return nil, fmt.Errorf("key of the browser: %w", err)
	}
	own := local.PublicKey().Bytes()
	input, err := hkdf.Key(sha256.New, shared, auth, string(slices.Concat([]byte("WebPush: info\x00"), public, own)), 32)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	key, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", keySize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", nonceSize)
	if err != nil {
		return nil, fmt.Errorf("derive nonce: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("create cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("create cipher: %w", err)
	}
	header := binary.BigEndian.AppendUint32(slices.Clone(salt), recordSize)
	header = append(append(header, byte(len(own))), own...)
	return aead.Seal(header, nonce, append(slices.Clone(text), 2), nil), nil // 2: the last record
}
