package notify

import (
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

const (
	// MaxDevices is the maximum number of browsers of one staff member. A further one replaces the one
	// that was not reached for longest.
	MaxDevices = 10

	maxEndpoint = 1000 // characters
	authBytes   = 16
)

// pushSecret is the name of the shop's private key of push messages.
const pushSecret = "push"

// Subscription is a browser's subscription to push messages, in the form of its toJSON.
type Subscription struct {
	Endpoint string           `json:"endpoint" doc:"URL of the browser's push service"`
	Keys     SubscriptionKeys `json:"keys"`
}

// SubscriptionKeys encrypt messages to a browser.
type SubscriptionKeys struct {
	P256dh string `json:"p256dh" doc:"In base64url"`
	Auth   string `json:"auth" doc:"In base64url"`
}

// Device is a browser that shows a staff member's notifications.
type Device struct {
	ID           string     `json:"_id"`
	Agent        string     `json:"agent" doc:"As the browser describes itself"`
	Service      string     `json:"service" doc:"Host of the browser's push service"`
	CreatedAt    time.Time  `json:"createdAt"`
	UsedAt       *time.Time `json:"usedAt" doc:"When its push service last accepted a message; null if never"`
	FailingSince *time.Time `json:"failingSince" doc:"null if the last message was accepted"`
	Refused      bool       `json:"refused" doc:"Its push service refused the last message; otherwise it was not reached, and is tried again"`
	Error        string     `json:"error" doc:"Why the last message was not accepted; empty if it was"`
}

// deviceRow is a row of push_devices.
type deviceRow struct {
	id, endpoint, staffID string
	sessionID             string // of the member in that browser: the device is notified while it lasts
	publicKey, auth       []byte
	agent, problem        string
	createdAt             time.Time
	usedAt, failingSince  *time.Time
	refused               bool
}

func (d *deviceRow) view() Device {
	return Device{d.id, d.agent, hostOf(d.endpoint), d.createdAt, d.usedAt, d.failingSince, d.refused, d.problem}
}

// subject returns the device as in the audit log.
func (d *deviceRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectDevice, ID: d.id, Label: hostOf(d.endpoint)}
}

// decodeKey returns a key in base64url, with or without padding.
func decodeKey(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// row returns the subscription as a row without owner. Codes: validation_failed.
func (in *Subscription) row(allowHTTP bool) (*deviceRow, error) {
	var bad fault.Invalid
	endpoint := input.CheckLine(&bad, "endpoint", in.Endpoint, maxEndpoint)
	u, err := url.Parse(endpoint)
	if err != nil || !input.IsWebURL(endpoint) || u.Fragment != "" || u.Hostname() == "" || u.Scheme != "https" && !allowHTTP {
		bad.Add("endpoint", fault.CodeInvalidValue, "Must be the https URL of a push service.")
	}
	public, err := decodeKey(in.Keys.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(public)
	}
	if err != nil {
		bad.Add("keys.p256dh", fault.CodeInvalidValue, "Must be a public key on the curve P-256, in base64url.")
	}
	auth, err := decodeKey(in.Keys.Auth)
	if err != nil || len(auth) != authBytes {
		bad.Add("keys.auth", fault.CodeInvalidValue, "Must be 16 bytes in base64url.")
	}
	return &deviceRow{endpoint: endpoint, publicKey: public, auth: auth}, bad.Err()
}

// SaveDevice lets the caller's browser show notifications from now on, and returns it. A browser
// with a known subscription becomes the caller's, who signed in there last. It ends with the
// caller's session, until the browser saves it again in the next one. Codes: validation_failed,
// unauthenticated, forbidden.
func (n *Notify) SaveDevice(ctx context.Context, caller access.Caller, in Subscription) (*Device, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToSaveDevice)
	if err != nil {
		return nil, err
	}
	d, err := in.row(n.cfg.AllowHTTP)
	if err != nil {
		return nil, err
	}
	if _, err := n.publicKey(ctx); err != nil { // the shop's key, required for the subscription
		return nil, err
	}
	err = n.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		d.staffID, d.agent, d.createdAt, d.id = who.Actor().ID, input.Cut(caller.Agent, 300), tx.Now(), n.cfg.IDs.Next(tx.Now())
		if d.sessionID, err = n.cfg.Members.SessionOf(tx, caller); err != nil {
			return err
		}
		known, err := findDeviceByEndpoint(tx, d.endpoint)
		switch {
		case err == nil && known.staffID == d.staffID:
			d.id, d.createdAt, d.usedAt = known.id, known.createdAt, known.usedAt
			if err := updateDeviceKeys(tx, d); err != nil { // a browser sends them again in its next session
				return err
			}
			return n.setConsuming(tx, true)
		case err == nil:
			err = deleteDevice(tx, known.id)
		case errors.Is(err, db.ErrNotFound):
			err = nil
		}
		if err != nil {
			return err
		}
		if err := makeRoom(tx, d.staffID); err != nil {
			return err
		}
		if err := insertDevice(tx, d); err != nil {
			return err
		}
		if err := n.setConsuming(tx, true); err != nil {
			return err
		}
		return who.Audit(tx, d.subject())
	})
	if err != nil {
		return nil, err
	}
	return new(d.view()), nil
}

// makeRoom deletes browsers of a staff member until one more is within the limit.
func makeRoom(tx *db.Tx, staffID string) error {
	all, err := findDevices(tx)
	if err != nil {
		return err
	}
	list := all[staffID] // the one not reached for longest first
	for len(list) >= MaxDevices {
		if err := deleteDevice(tx, list[0].id); err != nil {
			return err
		}
		list = list[1:]
	}
	return nil
}

// RemoveDevice ends the notifications of one of the caller's own browsers. Codes: not_found,
// unauthenticated, forbidden.
func (n *Notify) RemoveDevice(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, n.cfg.Data, caller, access.ToRemoveDevice, func(tx *db.Tx, who access.Staff) error {
		d, err := findDevice(tx, id)
		if isNotFound(err) || err == nil && d.staffID != who.Actor().ID {
			return fault.Errorf(fault.CodeNotFound, "There is no such device.")
		}
		if err != nil {
			return err
		}
		if err := deleteDevice(tx, id); err != nil {
			return err
		}
		return who.Audit(tx, d.subject())
	})
}

// publicKey returns the key by which browsers recognize the shop's push messages, in base64url. It
// is created on first use.
func (n *Notify) publicKey(ctx context.Context) (string, error) {
	var private []byte
	find := func(tx *db.Tx) (err error) {
		private, err = n.cfg.Secrets.Find(tx, pushSecret)
		return err
	}
	err := n.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error { return find(tx) })
	if errors.Is(err, db.ErrNotFound) {
		err = n.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			if err := find(tx); !errors.Is(err, db.ErrNotFound) {
				return err
			}
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return fmt.Errorf("generate key of push messages: %w", err)
			}
			if private, err = key.Bytes(); err != nil {
				return fmt.Errorf("generate key of push messages: %w", err)
			}
			return n.cfg.Secrets.Save(tx, pushSecret, private)
		})
	}
	if err != nil {
		return "", err
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), private)
	if err != nil {
		return "", fmt.Errorf("key of push messages: %w", err)
	}
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return "", fmt.Errorf("key of push messages: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(public), nil
}
