package conversion

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// SecretPrefix begins the names of the receivers' access tokens among the secrets.
const SecretPrefix = "conversion."

// maxToken is the maximum length of an access token, in bytes.
const maxToken = 1000

// findToken returns the access token of a receiver, "" if there is none.
func (c *Conversions) findToken(tx *db.Tx, r Receiver) (string, error) {
	token, err := c.cfg.Secrets.Find(tx, SecretPrefix+string(r))
	if errors.Is(err, db.ErrNotFound) {
		return "", nil
	}
	return string(token), err
}

// ReceiverStatus is a receiver as staff see it.
type ReceiverStatus struct {
	Receiver Receiver `json:"receiver"`
	HasToken bool     `json:"hasToken" doc:"Whether an access token is stored"`
	Ready    bool     `json:"ready" doc:"Whether orders are sent: the shop has the pixel's ID and the access token"`
	Waiting  int      `json:"waiting" doc:"Events that wait for the next attempt, at most 10,000"`
}

// ListReceivers returns the receivers. Codes: unauthenticated, forbidden.
func (c *Conversions) ListReceivers(ctx context.Context, caller access.Caller) ([]ReceiverStatus, error) {
	return access.Read(ctx, c.cfg.Data, caller, access.ToListReceivers, func(tx *db.Tx, _ access.Staff) ([]ReceiverStatus, error) {
		var all []ReceiverStatus
		for _, r := range Receivers() {
			found, err := c.findReceiver(tx, r)
			if err != nil {
				return nil, err
			}
			all = append(all, *found)
		}
		return all, nil
	})
}

func (c *Conversions) findReceiver(tx *db.Tx, r Receiver) (*ReceiverStatus, error) {
	set, err := c.cfg.Settings(tx)
	if err != nil {
		return nil, err
	}
	token, err := c.findToken(tx, r)
	if err != nil {
		return nil, err
	}
	waiting, err := countWaiting(tx, r)
	return &ReceiverStatus{r, token != "", token != "" && set.Of(r).PixelID != "", waiting}, err
}

// SetReceiverToken stores the access token of a receiver; "" removes it. Codes: not_found,
// validation_failed, unauthenticated, forbidden, proof_required.
func (c *Conversions) SetReceiverToken(ctx context.Context, caller access.Caller, r Receiver, token string) (*ReceiverStatus, error) {
	token = strings.TrimSpace(token)
	var bad fault.Invalid
	if len(token) > maxToken || input.Clean(token) != token || strings.ContainsAny(token, " \t\r\n") {
		bad.Add("token", fault.CodeInvalidValue, "The access token must be at most %d characters without spaces, as the receiver shows it.", maxToken)
	}
	if err := cmp.Or(requireReceiver(r), bad.Err()); err != nil {
		return nil, err
	}
	return access.Write(ctx, c.cfg.Data, caller, access.ToSetReceiverToken, func(tx *db.Tx, who access.Staff) (*ReceiverStatus, error) {
		was, err := c.findToken(tx, r)
		if err != nil {
			return nil, err
		}
		if was != token {
			if token == "" {
				err = c.cfg.Secrets.Delete(tx, SecretPrefix+string(r))
			} else {
				err = c.cfg.Secrets.Save(tx, SecretPrefix+string(r), []byte(token))
			}
			if err != nil {
				return nil, err
			}
			if err := c.cfg.Replaced(tx, string(r)); err != nil {
				return nil, err
			}
			change := access.Set("token", access.Secret)
			if token == "" {
				change = access.Change{Field: "token", Before: access.Secret}
			}
			if err := who.Audit(tx, subject(r), change); err != nil {
				return nil, err
			}
			all, err := c.findReady(tx)
			if err != nil {
				return nil, err
			}
			if err := setConsuming(tx, len(all) > 0); err != nil { // orders from now on are sent
				return nil, err
			}
		}
		return c.findReceiver(tx, r)
	})
}

// requireReceiver checks that a receiver exists. Codes: not_found.
func requireReceiver(r Receiver) error {
	if r != Meta && r != TikTok {
		return fault.Errorf(fault.CodeNotFound, "There is no such receiver. Choose %s or %s.", Meta, TikTok)
	}
	return nil
}

// subject returns a receiver as in the audit log.
func subject(r Receiver) access.Subject {
	return access.Subject{Kind: access.SubjectAdvertiser, ID: string(r), Label: r.Name()}
}

// ReceiverTest is the result of [Conversions.TestReceiver].
type ReceiverTest struct {
	Accepted       bool    `json:"accepted"`
	ResponseStatus *int    `json:"responseStatus" doc:"null if there was no response"`
	Answer         string  `json:"answer" doc:"The beginning of the response"`
	Error          *string `json:"error" doc:"Why it was not accepted; null if it was"`
}

// TestReceiver sends a test event, with the test code of the settings, and returns the answer.
// Codes: not_found, state_conflict (the pixel, the access token or the test code is missing),
// unauthenticated, forbidden.
func (c *Conversions) TestReceiver(ctx context.Context, caller access.Caller, r Receiver) (*ReceiverTest, error) {
	if err := requireReceiver(r); err != nil {
		return nil, err
	}
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToTestReceiver)
	if err != nil {
		return nil, err
	}
	var account Account
	var event Event
	err = c.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		set, err := c.cfg.Settings(tx)
		if err != nil {
			return err
		}
		account = Account{PixelID: set.Of(r).PixelID, TestCode: set.Of(r).TestCode}
		if account.Token, err = c.findToken(tx, r); err != nil {
			return err
		}
		if account.PixelID == "" || account.Token == "" || account.TestCode == "" || c.cfg.Senders[r] == nil {
			return fault.Errorf(fault.CodeStateConflict, "A test needs the ID of the pixel, the access token and the test code of %s.", r.Name())
		}
		event = c.newTest(set, caller.Agent, caller.Client, tx.Now())
		return who.Audit(tx, subject(r), access.Set("event", event.ID))
	})
	if err != nil {
		return nil, err
	}
	answer := c.cfg.Senders[r].Send(ctx, account, event)
	c.cfg.Record(ctx, r, true, answer)
	test := &ReceiverTest{Accepted: answer.Verdict == Accepted, Answer: answer.Text, Error: db.NullText(answer.Problem)}
	if answer.Status > 0 {
		test.ResponseStatus = &answer.Status
	}
	return test, nil
}
