package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Rules of the codes that sign a customer in.
const (
	OTPLifetime    = 5 * time.Minute
	MaxOTPAttempts = 3 // wrong ones, after which a code is no good any more
	otpDigits      = 4
)

// SendOTPInput asks for a code.
type SendOTPInput struct {
	PhoneNumber string `json:"phoneNumber" doc:"As people type it; the shop's country is assumed"`
}

// OTPSent says that a code is on its way.
type OTPSent struct {
	Success       bool   `json:"success"`
	Message       string `json:"message" doc:"For people"`
	IsNewCustomer bool   `json:"isNewCustomer" doc:"No account has this phone: send a name along with the code"`
}

// SendOTP sends a code of four digits to a phone. It replaces the code that was sent before.
//
// The code is stored, as a hash, before its message is sent, and no transaction waits for the
// gateway. A refused message leaves everything as it was; of one whose fate is unknown, also after
// a crash, the code is good and counts as sent.
// Codes: validation_failed, rate_limited, sms_unavailable.
func (a *Accounts) SendOTP(ctx context.Context, caller access.Caller, in SendOTPInput) (*OTPSent, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "phoneNumber", in.PhoneNumber, set.Country)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	t, err := a.throttles(ctx)
	if err != nil {
		return nil, err
	}
	sender, err := a.loadSMS(ctx)
	if err != nil {
		return nil, err
	}
	code, err := a.newCode()
	if err != nil {
		return nil, err
	}
	text := code + " is your " + shortName(set.Name) + " code. Tell it to nobody."
	hashes, err := a.otpHashes(ctx)
	if err != nil {
		return nil, err
	}
	limits := otpLimits{throttles: t, phone: phone, client: caller.Client, segments: SMSSegments(text)}
	isNew := false
	var row otpRow
	// A caller who may not have one is told so without a write.
	err = a.view(ctx, func(ctx context.Context, tx *db.Tx) error { return limits.check(tx) })
	if err != nil {
		return nil, err
	}
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := limits.check(tx); err != nil {
			return err
		}
		if err := deleteOldCodes(tx, tx.Now().Add(-otpDay)); err != nil {
			return err
		}
		_, err := findCustomerByPhone(tx, phone)
		if isNew = errors.Is(err, db.ErrNotFound); err != nil && !isNew {
			return err
		}
		row = otpRow{id: a.cfg.IDs.Next(tx.Now()), phone: phone, segments: limits.segments, createdAt: tx.Now()}
		row.hash = hashes.of(row, code)
		return insertCode(tx, row, limits.clientKey())
	})
	if err != nil {
		return nil, err
	}
	if err := a.deliverCode(ctx, sender, row, text); err != nil {
		return nil, err
	}
	return &OTPSent{Success: true, IsNewCustomer: isNew, Message: fmt.Sprintf(
		"A code was sent to the number that ends in %s. It is good for %d minutes.", phone[len(phone)-2:], int(OTPLifetime/time.Minute))}, nil
}

// deliverCode sends the message of a stored code and records what became of it.
func (a *Accounts) deliverCode(ctx context.Context, sender SMS, row otpRow, text string) error {
	messageID, sendErr := a.sendSMS(ctx, sender, row.phone, text)
	// Whoever asked may be gone; what happened is recorded all the same.
	err := a.update(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		switch {
		case sendErr == nil:
			return saveMessageState(tx, row.id, "sent", messageID)
		case errors.Is(sendErr, ErrSMSUnknown):
			return saveMessageState(tx, row.id, "unknown", "")
		}
		return deleteCode(tx, row.id)
	})
	if errors.Is(sendErr, ErrSMSUnknown) {
		sendErr = nil
	}
	return errors.Join(sendErr, err)
}

// newCode gives four random digits.
func (a *Accounts) newCode() (string, error) {
	n, err := rand.Int(a.cfg.Rand, big.NewInt(10_000))
	if err != nil {
		return "", fmt.Errorf("make code: %w", err)
	}
	text := strconv.FormatInt(n.Int64(), 10)
	return "0000"[len(text):] + text, nil
}

// otpHashes hash codes with a key that is not in the shop's file in clear: of four digits alone
// every hash is found at once.
type otpHashes struct{ key []byte }

func (a *Accounts) otpHashes(ctx context.Context) (otpHashes, error) {
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return otpHashes{}, err
	}
	return otpHashes{keys.OTP}, nil
}

func (h otpHashes) of(row otpRow, code string) []byte {
	mac := hmac.New(sha256.New, h.key)
	mac.Write([]byte(row.id + "\x00" + row.phone + "\x00" + code))
	return mac.Sum(nil)
}

// isOf reports whether code is the one of row.
func (h otpHashes) isOf(row otpRow, code string) bool { return hmac.Equal(row.hash, h.of(row, code)) }
