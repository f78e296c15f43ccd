package order

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/access"
)

// defaultOrderTokenDays is the default lifetime of order tokens, in days.
const defaultOrderTokenDays = 365

// maxOrderTokenDays is ten years.
const maxOrderTokenDays = 3660

// orderTokenLifetime returns the lifetime of an order token; 0 means without end.
func (set Limits) orderTokenLifetime() time.Duration {
	days := int64(defaultOrderTokenDays)
	if set.OrderTokenDays != nil {
		days = *set.OrderTokenDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// orderTokens creates and checks the token that placing an order returns. A token is an HMAC of the
// tenant, the invoice UID and the token's revision. It is never stored.
type orderTokens struct {
	key      []byte
	tenant   string
	lifetime time.Duration // 0: without end
}

func (s *Orders) orderTokens(ctx context.Context) (orderTokens, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return orderTokens{}, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return orderTokens{}, err
	}
	return orderTokens{key: keys.OrderToken, tenant: s.UID(), lifetime: set.orderTokenLifetime()}, nil
}

// create returns the token of an order. revision is the number of times that it was replaced.
func (t orderTokens) create(invoiceUID string, revision int64) string {
	text := t.tenant + "\x00" + invoiceUID
	if revision > 0 {
		text += "\x00" + strconv.FormatInt(revision, 10)
	}
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// proves reports whether token is the present token of the order, and has not expired.
func (t orderTokens) proves(tx *db.Tx, token, invoiceUID string, placedAt int64) (bool, error) {
	if token == "" {
		return false, nil
	}
	issued, err := findOrderToken(tx, invoiceUID)
	if err != nil {
		return false, err
	}
	if !hmac.Equal([]byte(token), []byte(t.create(invoiceUID, issued.revision))) {
		return false, nil
	}
	if issued.revision == 0 {
		issued.at = placedAt
	}
	return t.lifetime == 0 || tx.Now().Before(db.FromMillis(issued.at).Add(t.lifetime)), nil
}

// proves reports whether token belongs to the order with this invoice UID.
func (s *Orders) proves(ctx context.Context, token, uid string) (proven bool, err error) {
	if token == "" {
		return false, nil
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return false, err
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		placedAt, err := findPlacedAt(tx, uid)
		if err != nil {
			return err
		}
		proven, err = tokens.proves(tx, token, uid, placedAt)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return proven, err
}

// ReplaceOrderToken revokes the token of an order and returns the next one. It is valid as long as
// a new order's token. Nobody receives it unless staff pass it on. Codes: not_found.
func (s *Orders) ReplaceOrderToken(ctx context.Context, caller access.Caller, invoiceUID string) (token string, order *Order, err error) {
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return "", nil, err
	}
	order, err = s.changeOrderAsStaff(ctx, caller, access.ToReplaceOrderToken, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) error {
			issued, err := replaceOrderToken(tx, o.id)
			if err != nil {
				return err
			}
			token = tokens.create(o.id, issued.revision)
			c := s.changeAsStaff(tx, o, who)
			c.addTimeline(c.now, TimelineTokenReplaced, "The shop replaced the order token.")
			return c.save()
		})
	if err != nil {
		return "", nil, err
	}
	return token, order, nil
}

// issuedToken is the present token of an order. The zero value is the token from placing it.
type issuedToken struct{ revision, at int64 }

// findPlacedAt returns the time at which an order was placed, or db.ErrNotFound.
func findPlacedAt(tx *db.Tx, orderID string) (placedAt int64, err error) {
	err = tx.QueryRow(`
		SELECT placed_at
		FROM orders
		WHERE id = ?`, orderID).Scan(&placedAt)
	return placedAt, err
}

func findOrderToken(tx *db.Tx, orderID string) (t issuedToken, err error) {
	err = tx.QueryRow(`
		SELECT revision, issued_at
		FROM order_tokens
		WHERE order_id = ?`, orderID).Scan(&t.revision, &t.at)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return issuedToken{}, fmt.Errorf("find order token: %w", err)
	}
	return t, nil
}

func replaceOrderToken(tx *db.Tx, orderID string) (t issuedToken, err error) {
	err = tx.QueryRow(`
		INSERT INTO order_tokens (order_id, revision, issued_at)
		VALUES (?, 1, ?)
		ON CONFLICT (order_id) DO UPDATE SET
			revision = order_tokens.revision + 1,
			issued_at = excluded.issued_at
		RETURNING revision, issued_at`, orderID, db.Millis(tx.Now())).Scan(&t.revision, &t.at)
	if err != nil {
		return issuedToken{}, fmt.Errorf("replace order token: %w", err)
	}
	return t, nil
}
