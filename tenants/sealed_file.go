package tenants

import (
	"bufio"
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// A sealed file has data for one receiving data folder. Its first line is a sealedHeader. Chunks
// follow, each the length of its ciphertext in four bytes, and the ciphertext by HPKE (RFC 9180).
// The additional data of a chunk are the header's hash and whether it is the last one, and HPKE
// numbers the chunks, so that none can be changed, left out or exchanged, and the file cannot be
// truncated. The last chunk has the public key of the sending data folder and its signature of all
// that precedes the chunk: everybody can write a file for a receiver, but only the sender this one.

const (
	sealedFormat  = "storefront-sealed"
	sealedChunk   = 64 << 10 // bytes of a chunk before it is encrypted
	sealedSuffix  = ".sealed"
	publicKeyMark = "storefront-key-1:" // starts a public key in text
)

// sealedHeader is the first line of a sealed file.
type sealedHeader struct {
	Format string `json:"format"`
	To     string `json:"to"`           // fingerprint of the receiver's public key
	Key    []byte `json:"encapsulated"` // key of the chunks, for the receiver only
}

// PublicKey is the public half of the transfer keys of a data folder. It is not secret.
type PublicKey struct {
	seal hpke.PublicKey    // for files sealed for the folder
	sign ed25519.PublicKey // of files that the folder has sealed
}

// String returns the key in the form that [ParsePublicKey] parses.
func (k *PublicKey) String() string {
	return publicKeyMark + base64.RawURLEncoding.EncodeToString(append(k.seal.Bytes(), k.sign...))
}

// Fingerprint returns a short text by which people compare keys.
func (k *PublicKey) Fingerprint() string {
	sum := sha256.Sum256([]byte(k.String()))
	return hex.EncodeToString(sum[:16])
}

// ParsePublicKey parses a public key in text, as the command key public prints it.
func ParsePublicKey(text string) (*PublicKey, error) {
	invalid := errors.New("must be a public key, as printed by storefront key public on the receiving server")
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), publicKeyMark)
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || len(raw) <= ed25519.PublicKeySize {
		return nil, invalid
	}
	at := len(raw) - ed25519.PublicKeySize
	seal, err := sealKEM().NewPublicKey(raw[:at])
	if err != nil {
		return nil, invalid
	}
	return &PublicKey{seal, raw[at:]}, nil
}

// transferKeys are the keys of a data folder for sealed files. They follow from the folder's key.
type transferKeys struct {
	PublicKey
	open hpke.PrivateKey
	sign ed25519.PrivateKey
}

// sealKEM is X25519: a public key fits in a line of a chat or an e-mail.
func sealKEM() hpke.KEM { return hpke.DHKEM(ecdh.X25519()) }

var sealInfo = []byte("storefront sealed file 1")

func newTransferKeys(master []byte) (*transferKeys, error) {
	derive := func(purpose string) ([]byte, error) {
		return hkdf.Key(sha256.New, master, nil, "storefront transfer "+purpose, 32)
	}
	toOpen, openErr := derive("open")
	toSign, signErr := derive("sign")
	if err := errors.Join(openErr, signErr); err != nil {
		return nil, fmt.Errorf("derive transfer keys: %w", err)
	}
	private, err := sealKEM().DeriveKeyPair(toOpen)
	if err != nil {
		return nil, fmt.Errorf("derive transfer keys: %w", err)
	}
	sign := ed25519.NewKeyFromSeed(toSign)
	return &transferKeys{PublicKey{private.PublicKey(), sign.Public().(ed25519.PublicKey)}, private, sign}, nil
}

// sealWriter seals what is written to it. Close writes the last chunk.
type sealWriter struct {
	out    io.Writer
	keys   *transferKeys
	sender *hpke.Sender
	header [sha256.Size]byte
	sum    hash.Hash // of the header and the chunks so far
	buffer bytes.Buffer
}

// newSealWriter returns a writer of a sealed file for a receiver.
func (k *transferKeys) newSealWriter(out io.Writer, to *PublicKey) (*sealWriter, error) {
	encapsulated, sender, err := hpke.NewSender(to.seal, hpke.HKDFSHA256(), hpke.AES256GCM(), sealInfo)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(sealedHeader{sealedFormat, to.Fingerprint(), encapsulated})
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	w := &sealWriter{out: out, keys: k, sender: sender, header: sha256.Sum256(line), sum: sha256.New()}
	w.sum.Write(line)
	_, err = out.Write(line)
	return w, err
}

// Write implements [io.Writer].
func (w *sealWriter) Write(p []byte) (int, error) {
	w.buffer.Write(p)
	for w.buffer.Len() >= sealedChunk {
		if err := w.chunk(w.buffer.Next(sealedChunk), false); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close ends the file with the sender's key and signature.
func (w *sealWriter) Close() error {
	if err := w.chunk(w.buffer.Bytes(), false); err != nil {
		return err
	}
	signature := ed25519.Sign(w.keys.sign, w.sum.Sum(nil))
	return w.chunk([]byte(w.keys.PublicKey.String()+"\n"+base64.StdEncoding.EncodeToString(signature)), true)
}

func (w *sealWriter) chunk(plain []byte, last bool) error {
	sealed, err := w.sender.Seal(chunkData(w.header, last), plain)
	if err != nil {
		return err
	}
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...) // a chunk is short
	w.sum.Write(framed)
	_, err = w.out.Write(framed)
	return err
}

// chunkData returns the additional data of a chunk.
func chunkData(header [sha256.Size]byte, last bool) []byte {
	if last {
		return append(header[:], 1)
	}
	return append(header[:], 0)
}

// ErrSealedFor is returned for a sealed file that another data folder must open.
var ErrSealedFor = errors.New("sealed for another data folder's key")

// errSealedDamaged is returned for a sealed file that was changed or truncated.
var errSealedDamaged = errors.New("the sealed file was changed or truncated: transfer it again")

// isSealedFile reports whether a file is sealed for a data folder.
func isSealedFile(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, len(`{"format":"`+sealedFormat+`"`))
	_, err = io.ReadFull(f, start)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return string(start) == `{"format":"`+sealedFormat+`"`, err
}

// maxSealedHeader limits the first line of a sealed file.
const maxSealedHeader = 16 << 10

// openSealed writes the content of a sealed file to out and returns the sender. The written
// content must not be used if there is an error: the signature is in the last chunk. Errors:
// ErrSealedFor.
func (k *transferKeys) openSealed(in io.Reader, out io.Writer) (from *PublicKey, err error) {
	r := bufio.NewReaderSize(in, maxSealedHeader)
	line, err := r.ReadSlice('\n')
	var head sealedHeader
	if err != nil || json.Unmarshal(line, &head) != nil || head.Format != sealedFormat {
		return nil, errSealedDamaged
	}
	if own := k.PublicKey.Fingerprint(); head.To != own {
		return nil, fmt.Errorf("%w: %s; this data folder's is %s, as key public prints it", ErrSealedFor, printableHex(head.To), own)
	}
	recipient, err := hpke.NewRecipient(head.Key, k.open, hpke.HKDFSHA256(), hpke.AES256GCM(), sealInfo)
	if err != nil {
		return nil, errSealedDamaged
	}
	header, sum := sha256.Sum256(line), sha256.New()
	sum.Write(line)
	for {
		var framed [4 + sealedChunk + 64]byte
		if _, err := io.ReadFull(r, framed[:4]); err != nil {
			return nil, errSealedDamaged
		}
		size := binary.BigEndian.Uint32(framed[:4])
		if size > sealedChunk+64 {
			return nil, errSealedDamaged
		}
		chunk := framed[4 : 4+size]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, errSealedDamaged
		}
		_, endErr := r.Peek(1)
		isLast := errors.Is(endErr, io.EOF)
		plain, err := recipient.Open(chunkData(header, isLast), chunk)
		if err != nil {
			return nil, errSealedDamaged
		}
		if isLast {
			return verifySender(plain, sum.Sum(nil))
		}
		sum.Write(framed[:4+size])
		if _, err := out.Write(plain); err != nil {
			return nil, err
		}
	}
}

// verifySender returns the sender in the last chunk of a file with this hash.
func verifySender(last, sum []byte) (*PublicKey, error) {
	text, encoded, _ := strings.Cut(string(last), "\n")
	from, err := ParsePublicKey(text)
	if err != nil {
		return nil, errSealedDamaged
	}
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !ed25519.Verify(from.sign, sum, signature) {
		return nil, errSealedDamaged
	}
	return from, nil
}

// printableHex returns a fingerprint, or "?" for another text.
func printableHex(text string) string {
	if _, err := hex.DecodeString(text); err != nil {
		return "?"
	}
	return text
}
