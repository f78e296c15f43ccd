package tenants

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"storefront/db"
)

// Names in the data folder.
const (
	keyFile   = "key"    // the key itself, readable by its owner only
	keyIDFile = "key.id" // which key the folder was first used with; no secret
)

const (
	keyBytes = 32
	idBytes  = 4
)

// ErrOtherKey is a secret that the data folder's key does not open.
var ErrOtherKey = errors.New("sealed with another data folder's key")

// masterKey seals the secrets of all shops of a data folder.
type masterKey struct {
	id   [idBytes]byte // tells keys apart without saying anything about them
	aead cipher.AEAD
}

// loadKey gives the folder's key: text where it is set, else the file, which is made when the
// folder holds no shop yet. A new key beside old shops would lock them up for good.
func loadKey(dir, text string, hasShops bool) (*masterKey, error) {
	raw, err := readKey(dir, text)
	if errors.Is(err, fs.ErrNotExist) {
		if hasShops {
			return nil, fmt.Errorf("the key of the data folder is gone: put %s back from a backup, or set STOREFRONT_KEY", filepath.Join(dir, keyFile))
		}
		raw, err = createKey(dir)
	}
	if err != nil {
		return nil, err
	}
	key, err := newMasterKey(raw)
	if err != nil {
		return nil, err
	}
	return key, key.verify(dir, hasShops)
}

func newMasterKey(raw []byte) (*masterKey, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	key := &masterKey{aead: aead}
	sum := sha256.Sum256(append([]byte("storefront key id\x00"), raw...))
	copy(key.id[:], sum[:])
	return key, nil
}

// readKey reads the key from text or else from the file. The error is fs.ErrNotExist when there
// is neither.
func readKey(dir, text string) ([]byte, error) {
	if text != "" {
		raw, err := decodeKey(text)
		if err != nil {
			return nil, errors.New("STOREFRONT_KEY is not a key: it is 32 bytes in base64, such as `openssl rand -base64 32` prints")
		}
		return raw, nil
	}
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	// Windows has no such modes: there the folder's own rights guard the key.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others can read the key %s (mode %04o): take that away with `chmod 600 %s`", path, mode, path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	raw, err := decodeKey(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s is not a key (32 bytes in base64): put it back from a backup", path)
	}
	return raw, nil
}

func decodeKey(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err == nil && len(raw) != keyBytes {
		err = fmt.Errorf("%d bytes", len(raw))
	}
	return raw, err
}

// createKey makes the key's file. Of several processes that do so at once one wins, and all use its key.
func createKey(dir string) ([]byte, error) {
	raw := make([]byte, keyBytes)
	rand.Read(raw)
	if err := placeFile(dir, keyFile, base64.StdEncoding.EncodeToString(raw)+"\n"); err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return readKey(dir, "")
}

// verify holds the key against the one that the folder was first used with. A folder without
// shops takes any: before backups are restored, their key is put there.
func (k *masterKey) verify(dir string, hasShops bool) error {
	own := hex.EncodeToString(k.id[:])
	path := filepath.Join(dir, keyIDFile)
	first, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := placeFile(dir, keyIDFile, own+"\n"); err != nil {
			return fmt.Errorf("note the key's id: %w", err)
		}
		first, err = os.ReadFile(path)
	}
	if err != nil {
		return fmt.Errorf("read the key's id: %w", err)
	}
	switch known := strings.TrimSpace(string(first)); {
	case known == own:
	case !hasShops:
		return k.recordUse(dir)
	default:
		return fmt.Errorf("this is the key %s, and %s was first used with the key %s: bring that one back (file %s or STOREFRONT_KEY)", own, dir, known, keyFile)
	}
	return nil
}

// recordUse writes down that the folder is used with this key from now on.
func (k *masterKey) recordUse(dir string) error {
	next := filepath.Join(dir, keyIDFile+".next")
	err := os.WriteFile(next, []byte(hex.EncodeToString(k.id[:])+"\n"), 0o600)
	if err == nil {
		err = os.Rename(next, filepath.Join(dir, keyIDFile))
	}
	if err != nil {
		return fmt.Errorf("note the key's id: %w", err)
	}
	return nil
}

// placeFile makes a file that appears whole or not at all, and leaves one that is already there.
func placeFile(dir, name, content string) error {
	f, err := os.CreateTemp(dir, "."+name+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces what is there.
	if err := os.Link(f.Name(), filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return db.SyncDir(dir)
}

// errNoKey is what a data folder whose key can not be had answers; only Examine opens one.
var errNoKey = errors.New("the key of the data folder is not to be had")

// sealer encrypts the secrets of one shop; it implements shop.Sealer. Sealed bytes are the key's
// id, the nonce and the ciphertext.
type sealer struct {
	key *masterKey // nil: errNoKey
	id  db.ID
}

// Seal encrypts plain under name.
func (s sealer) Seal(name string, plain []byte) ([]byte, error) {
	if s.key == nil {
		return nil, errNoKey
	}
	return s.key.aead.Seal(s.key.id[:len(s.key.id):len(s.key.id)], nil, plain, s.additionalData(name)), nil
}

// Open decrypts what Seal made under the same name for the same shop.
func (s sealer) Open(name string, sealed []byte) ([]byte, error) {
	if s.key == nil {
		return nil, errNoKey
	}
	if len(sealed) < idBytes {
		return nil, errors.New("the sealed bytes are too short")
	}
	if [idBytes]byte(sealed) != s.key.id {
		return nil, fmt.Errorf("%w: %x, and this data folder's key is %x: the shop's own data folder has the right one", ErrOtherKey, sealed[:idBytes], s.key.id)
	}
	plain, err := s.key.aead.Open(nil, nil, sealed[idBytes:], s.additionalData(name))
	if err != nil {
		return nil, errors.New("the sealed bytes were changed, or are another shop's or another secret's")
	}
	return plain, nil
}

// additionalData is what the ciphertext is tied to. A UID has no NUL, so no two pairs are the same.
func (s sealer) additionalData(name string) []byte { return []byte(string(s.id) + "\x00" + name) }
