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
	"storefront/db/sqlite"
)

// Names in the data folder.
const (
	keyFile   = "key"    // the key itself, readable by its owner only
	keyIDFile = "key.id" // ID of the first key of the folder; not secret
)

const (
	keyBytes = 32
	idBytes  = 4
)

// ErrOtherKey is returned for a secret that was sealed with the key of another data folder.
var ErrOtherKey = errors.New("sealed with another data folder's key")

// masterKey seals the secrets of all shops of a data folder.
type masterKey struct {
	id   [idBytes]byte // identifies the key without revealing it
	aead cipher.AEAD
}

// loadKey returns the folder's key: text if it is set, otherwise the key file, which is created if
// the folder has no shops yet. A new key beside existing shops would make their secrets unreadable.
func loadKey(dir, text string, hasShops bool) (*masterKey, error) {
	raw, err := readKey(dir, text)
	if errors.Is(err, fs.ErrNotExist) {
		if hasShops {
			return nil, fmt.Errorf("the data folder's key is missing: restore %s from a backup, or set STOREFRONT_KEY", filepath.Join(dir, keyFile))
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

// owner identifies the key without revealing it.
func (k *masterKey) owner() string { return hex.EncodeToString(k.id[:]) }

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

// readKey reads the key from text, or from the key file if text is empty. Errors: fs.ErrNotExist,
// if both are missing.
func readKey(dir, text string) ([]byte, error) {
	if text != "" {
		raw, err := decodeKey(text)
		if err != nil {
			return nil, errors.New("STOREFRONT_KEY must be 32 bytes in base64, as printed by `openssl rand -base64 32`")
		}
		return raw, nil
	}
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	// Windows has no such modes: there the permissions of the folder protect the key.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("the key %s is readable by other users (mode %04o): run `chmod 600 %s`", path, mode, path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	raw, err := decodeKey(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s must hold 32 bytes in base64: restore it from a backup", path)
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

// createKey creates the key file. If several processes do so at the same time, one wins and all use
// its key.
func createKey(dir string) ([]byte, error) {
	raw := make([]byte, keyBytes)
	rand.Read(raw)
	if err := placeFile(dir, keyFile, base64.StdEncoding.EncodeToString(raw)+"\n"); err != nil {
		return nil, fmt.Errorf("create key: %w", err)
	}
	return readKey(dir, "")
}

// verify compares the key with the first key of the folder. A folder without shops accepts any key,
// so that a lost machine's key can be installed before its backups are restored.
func (k *masterKey) verify(dir string, hasShops bool) error {
	own := hex.EncodeToString(k.id[:])
	path := filepath.Join(dir, keyIDFile)
	first, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := placeFile(dir, keyIDFile, own+"\n"); err != nil {
			return fmt.Errorf("save key ID: %w", err)
		}
		first, err = os.ReadFile(path)
	}
	if err != nil {
		return fmt.Errorf("read key ID: %w", err)
	}
	switch recorded := strings.TrimSpace(string(first)); {
	case recorded == own:
	case !hasShops:
		return k.recordUse(dir)
	default:
		return fmt.Errorf("the key %s does not fit: %s was first used with the key %s: restore that key (file %s or STOREFRONT_KEY)",
			own, dir, recorded, keyFile)
	}
	return nil
}

// recordUse stores this key's ID as the folder's.
func (k *masterKey) recordUse(dir string) error {
	next := filepath.Join(dir, keyIDFile+".next")
	err := os.WriteFile(next, []byte(hex.EncodeToString(k.id[:])+"\n"), 0o600)
	if err == nil {
		err = sqlite.InheritOwner(next)
	}
	if err == nil {
		err = os.Rename(next, filepath.Join(dir, keyIDFile))
	}
	if err != nil {
		return fmt.Errorf("save key ID: %w", err)
	}
	return nil
}

// placeFile creates a file atomically with mode 0600. An existing file is left unchanged.
func placeFile(dir, name, content string) error {
	f, err := os.CreateTemp(dir, "."+name+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(sqlite.InheritOwner(f.Name()), f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces an existing file.
	if err := os.Link(f.Name(), filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sqlite.SyncDir(dir)
}

// errNoKey is returned for secrets of a data folder whose key cannot be loaded; only Examine opens
// one.
var errNoKey = errors.New("the data folder's key is not available")

// errSealedChanged is returned for sealed bytes that the key does not open although they have its
// ID.
var errSealedChanged = errors.New("the sealed bytes were changed, or belong to another shop or secret")

// observedSealer is the sealer of a served shop. It records whether its secrets can be opened.
type observedSealer struct {
	sealer
	tenants *Tenants
}

// Open is [sealer.Open].
func (s observedSealer) Open(name string, sealed []byte) ([]byte, error) {
	plain, err := s.sealer.Open(name, sealed)
	s.tenants.sealed.record(s.id, s.tenants.now(), err)
	return plain, err
}

// sealer encrypts the secrets of one shop. It implements secret.Sealer. Sealed bytes are the key's
// ID, the nonce and the ciphertext.
type sealer struct {
	key *masterKey // nil if there is errNoKey
	id  db.ID
}

// Seal encrypts plain under name.
func (s sealer) Seal(name string, plain []byte) ([]byte, error) {
	if s.key == nil {
		return nil, errNoKey
	}
	return s.key.aead.Seal(s.key.id[:len(s.key.id):len(s.key.id)], nil, plain, s.additionalData(name)), nil
}

// Open decrypts bytes from Seal with the same name and shop. Errors: ErrOtherKey.
func (s sealer) Open(name string, sealed []byte) ([]byte, error) {
	if s.key == nil {
		return nil, errNoKey
	}
	if len(sealed) < idBytes {
		return nil, errors.New("the sealed bytes are too short")
	}
	if [idBytes]byte(sealed) != s.key.id {
		return nil, fmt.Errorf("%w (%x; the key of this data folder is %x): use the key of the data folder that the shop comes from",
			ErrOtherKey, sealed[:idBytes], s.key.id)
	}
	plain, err := s.key.aead.Open(nil, nil, sealed[idBytes:], s.additionalData(name))
	if err != nil {
		return nil, errSealedChanged
	}
	return plain, nil
}

// additionalData binds the ciphertext to the shop and name. A UID has no NUL, so pairs are
// distinct.
func (s sealer) additionalData(name string) []byte { return []byte(string(s.id) + "\x00" + name) }
