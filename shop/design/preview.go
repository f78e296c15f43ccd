package design

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"storefront/db"
	"storefront/shop/access"
)

// PreviewPath begins the paths of pages with the draft. The token follows.
const PreviewPath = "/preview/"

// PreviewLifetime is the time for which the link of a preview shows the draft.
const PreviewLifetime = time.Hour

// Preview is the permission to see the draft on the shop's pages.
type Preview struct {
	Token     string
	ExpiresAt time.Time
}

// previewMAC is the number of bytes of a token's signature.
const previewMAC = 16

// CreatePreview returns a new preview, which needs no sign-in. Codes: unauthenticated, forbidden.
func (d *Designs) CreatePreview(ctx context.Context, caller access.Caller) (*Preview, error) {
	keys, err := d.secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, d.data, caller, access.ToCreatePreview, func(tx *db.Tx, _ access.Staff) (*Preview, error) {
		expires := tx.Now().Add(PreviewLifetime).Truncate(time.Second)
		body := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
		return &Preview{base64.RawURLEncoding.EncodeToString(append(body, signPreview(keys.Preview, body)...)), expires}, nil
	})
}

// IsPreview reports whether a token lets its visitor see the draft now.
func (d *Designs) IsPreview(ctx context.Context, token string) (bool, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != 8+previewMAC {
		return false, nil
	}
	keys, err := d.secrets.Keys(ctx)
	if err != nil {
		return false, err
	}
	if !hmac.Equal(raw[8:], signPreview(keys.Preview, raw[:8])) {
		return false, nil
	}
	var lives bool
	err = d.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		lives = tx.Now().Before(time.Unix(int64(binary.BigEndian.Uint64(raw)), 0))
		return nil
	})
	return lives, err
}

func signPreview(key, body []byte) []byte { return sign(key, "preview", body)[:previewMAC] }

// DeriveKey returns a key of 32 bytes that follows from a text. Nobody else can compute it.
func (d *Designs) DeriveKey(ctx context.Context, text string) ([]byte, error) {
	keys, err := d.secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	return sign(keys.Preview, "derived key", []byte(text)), nil
}

func sign(key []byte, purpose string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00"))
	mac.Write(body)
	return mac.Sum(nil)
}
