package staff

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/onetime"
)

// Requirement is which staff members must have a second factor.
//
//api:enum Requirement
type Requirement string

// The requirements.
const (
	RequireNone     Requirement = "none"     // nobody
	RequireOwners   Requirement = "owners"   // owners
	RequireEveryone Requirement = "everyone" // everybody
)

// Requirements returns the values of the setting requireSecondFactor.
func Requirements() []Requirement { return []Requirement{RequireNone, RequireOwners, RequireEveryone} }

// mustSetUp reports whether the shop requires a second factor that the staff member does not have.
func (m *memberRow) mustSetUp(set Settings) bool {
	return m.secondFactor() == SecondFactorNone && m.needsSecondFactor(set)
}

// needsSecondFactor reports whether the shop requires a second factor of the staff member.
func (m *memberRow) needsSecondFactor(set Settings) bool {
	return set.RequireSecondFactor == RequireEveryone || set.RequireSecondFactor == RequireOwners && m.role == RoleOwner
}

// withoutSecondFactor lists the permitted use cases of a staff member who must first set up a
// second factor.
var withoutSecondFactor = []access.UseCase{
	access.ToFindSession, access.ToProveSession, access.ToEndSession, access.ToStartTOTP, access.ToConfirmTOTP,
	access.ToBeginPasskey, access.ToAddPasskey,
}

// IsBeforeSetup reports whether a use case is permitted to a staff member who must first set up a
// second factor.
func IsBeforeSetup(use access.UseCase) bool { return slices.Contains(withoutSecondFactor, use) }

func errSetUpRequired() error {
	return fault.Errorf(fault.CodeSecondFactorSetupRequired, "This shop requires a second factor: set up an authenticator app or a passkey first.")
}

const (
	recoveryCodes  = 10
	recoveryLength = 10 // characters of 5 bits
)

// totpPrefix is the prefix of the secrets of TOTP, followed by the staff member's ID.
const totpPrefix = "totp."

// checkSecondFactor is requireSecondFactor for a staff member who has an authenticator app, or has
// passkeys alone in a shop that requires a second factor. Elsewhere a passkey signs in by itself,
// and does not change what a password can do.
func (a *attempt) checkSecondFactor(tx *db.Tx, m *memberRow, code *string) (refusal, err error) {
	if m.totpStep == nil && (m.passkeys == 0 || !m.needsSecondFactor(a.settings)) {
		return nil, nil
	}
	return a.requireSecondFactor(tx, m, code)
}

// requireSecondFactor uses the code of a staff member who has proved the password and has a second
// factor. A missing code does not count as a failure: the password was correct. Codes of the
// refusal: second_factor_required, invalid_credentials.
func (a *attempt) requireSecondFactor(tx *db.Tx, m *memberRow, code *string) (refusal, err error) {
	if m.secondFactor() == SecondFactorNone {
		return nil, nil
	}
	if a.codeUsed { // when the attempt began
		return nil, nil
	}
	if code != nil && strings.TrimSpace(*code) != "" {
		return a.useCode(tx, m, *code)
	}
	left, err := countRecoveryCodes(tx, m.id)
	if err != nil {
		return nil, err
	}
	e := fault.Errorf(fault.CodeSecondFactorRequired, "Enter the code that your authenticator app shows.")
	methods := []string{}
	if m.totpStep != nil {
		methods = append(methods, "totp")
	} else {
		e.Message = "Sign in with a passkey, or enter a recovery code."
	}
	if m.passkeys > 0 {
		methods = append(methods, "passkey")
	}
	if left > 0 {
		methods = append(methods, "recovery")
	}
	e.Details = map[string]any{"methods": methods}
	return e, a.withdraw(tx)
}

// useCode uses up a code of the authenticator app or a recovery code. Codes of the refusal:
// invalid_credentials.
func (a *attempt) useCode(tx *db.Tx, m *memberRow, text string) (refusal, err error) {
	step, refusal, err := a.matchCode(tx, m, text)
	if refusal != nil || err != nil {
		return refusal, err
	}
	if step != 0 {
		m.totpStep = &step
		return nil, updateMember(tx, m)
	}
	return nil, useRecoveryCode(tx, m.id, a.hashes.Of(recoveryParts(m.id, text)...))
}

// matchCode returns the time step of a code of the authenticator app, or 0 for a recovery code.
// Codes of the refusal: invalid_credentials.
func (a *attempt) matchCode(tx *db.Tx, m *memberRow, text string) (step int64, refusal, err error) {
	matches := false
	if code := parseTOTP(text); code != "" {
		if m.totpStep == nil {
			return 0, errInvalidCredentials(), nil
		}
		secret, err := a.staff.cfg.Secrets.Find(tx, totpPrefix+m.id)
		if err != nil {
			return 0, nil, err
		}
		step, matches = matchTOTP(secret, code, tx.Now(), *m.totpStep)
	} else if matches, err = hasRecoveryCode(tx, m.id, a.hashes.Of(recoveryParts(m.id, text)...)); err != nil {
		return 0, nil, err
	}
	if !matches {
		return 0, errInvalidCredentials(), nil
	}
	return step, nil, nil
}

// parseTOTP returns a code in ASCII digits, "" if text is none.
func parseTOTP(text string) string {
	if code := onetime.Parse(text, totpDigits); len(code) == totpDigits {
		return code
	}
	return ""
}

// spacesEscaped returns a query with %20 in place of the plus sign for a space.
func spacesEscaped(query string) string { return strings.ReplaceAll(query, "+", "%20") }

// TOTPSetup is a new secret for an authenticator app. A code of the app confirms it.
type TOTPSetup struct {
	Secret string `json:"secret" doc:"Base 32, to type into the app"`
	URI    string `json:"uri" doc:"To show as a QR code, or to open on the same phone"`
}

// StartTOTP creates a secret for an authenticator app. Nothing requires a code of it until
// [Staff.ConfirmTOTP]. Codes: proof_required, state_conflict (there is one), unauthenticated,
// forbidden.
func (s *Staff) StartTOTP(ctx context.Context, caller access.Caller) (*TOTPSetup, error) {
	return access.Write(ctx, s.data, caller, access.ToStartTOTP, func(tx *db.Tx, who access.Staff) (*TOTPSetup, error) {
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return nil, err
		}
		m := me.member
		if m.totpStep != nil {
			return nil, fault.Errorf(fault.CodeStateConflict, "Another authenticator app is set up: remove it first.")
		}
		secret := make([]byte, totpBytes)
		if _, err := io.ReadFull(s.cfg.Rand, secret); err != nil {
			return nil, fmt.Errorf("generate secret: %w", err)
		}
		if err := s.cfg.Secrets.Save(tx, totpPrefix+m.id, secret); err != nil {
			return nil, err
		}
		setup := &TOTPSetup{Secret: base32Text.EncodeToString(secret), URI: totpURI(secret, me.settings.Name, m.contact())}
		return setup, who.Audit(tx, m.subject())
	})
}

// contact returns the contact that the staff member signs in with.
func (m *memberRow) contact() string {
	if m.email != nil {
		return *m.email
	}
	return db.TextOf(m.phone)
}

// ConfirmTOTP makes the app's codes the second factor, given one of them, and returns recovery
// codes. Each of these replaces a code once. They are not shown again. It is no proof, because a
// stolen session also has the new secret. Codes: proof_required, validation_failed,
// invalid_credentials (the code is wrong), state_conflict (not started, or already confirmed),
// unauthenticated, forbidden.
func (s *Staff) ConfirmTOTP(ctx context.Context, caller access.Caller, code string) (codes []string, err error) {
	hashes, err := s.codeHashes(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, access.ToConfirmTOTP, func(tx *db.Tx, who access.Staff) ([]string, error) {
		digits := parseTOTP(code)
		if digits == "" {
			var bad fault.Invalid
			bad.Add("code", fault.CodeInvalidValue, "The code must be six digits.")
			return nil, bad.Err()
		}
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return nil, err
		}
		m := me.member
		secret, err := s.cfg.Secrets.Find(tx, totpPrefix+m.id)
		if isNotFound(err) || err == nil && m.totpStep != nil {
			return nil, fault.Errorf(fault.CodeStateConflict, "There is no authenticator app to confirm: start again.")
		}
		if err != nil {
			return nil, err
		}
		step, ok := matchTOTP(secret, digits, tx.Now(), 0)
		if !ok {
			return nil, fault.Errorf(fault.CodeInvalidCredentials, "The code is wrong. Check that the phone's clock is set automatically.")
		}
		m.totpStep = &step
		if err := updateMember(tx, m); err != nil {
			return nil, err
		}
		codes, err := s.replaceRecoveryCodes(tx, hashes, m.id)
		if err != nil {
			return nil, err
		}
		return codes, who.Audit(tx, m.subject())
	})
}

// replaceRecoveryCodes replaces the recovery codes of a staff member, and returns the new ones.
func (s *Staff) replaceRecoveryCodes(tx *db.Tx, hashes onetime.Hashes, memberID string) (codes []string, err error) {
	if err := deleteRecoveryCodes(tx, memberID); err != nil {
		return nil, err
	}
	for range recoveryCodes {
		code, err := s.cfg.IDs.Code(recoveryLength)
		if err != nil {
			return nil, fmt.Errorf("generate recovery code: %w", err)
		}
		code = code[:recoveryLength/2] + "-" + code[recoveryLength/2:]
		if err := insertRecoveryCode(tx, memberID, hashes.Of(recoveryParts(memberID, code)...)); err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// RemoveTOTP removes the caller's authenticator app, and the recovery codes unless there are
// passkeys.
// Codes: proof_required, state_conflict (there is none), unauthenticated, forbidden.
func (s *Staff) RemoveTOTP(ctx context.Context, caller access.Caller) error {
	return access.Do(ctx, s.data, caller, access.ToRemoveTOTP, func(tx *db.Tx, who access.Staff) error {
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return err
		}
		if me.member.totpStep == nil {
			return fault.Errorf(fault.CodeStateConflict, "No authenticator app is set up.")
		}
		if err := who.Audit(tx, me.member.subject()); err != nil {
			return err
		}
		return s.deleteSecondFactor(tx, me.member)
	})
}

func (s *Staff) deleteSecondFactor(tx *db.Tx, m *memberRow) error {
	m.totpStep = nil
	if err := updateMember(tx, m); err != nil {
		return err
	}
	if err := s.cfg.Secrets.Delete(tx, totpPrefix+m.id); err != nil {
		return err
	}
	return deleteUnusedCodes(tx, m)
}

// deleteUnusedCodes deletes the recovery codes of a staff member without a second factor.
func deleteUnusedCodes(tx *db.Tx, m *memberRow) error {
	if m.secondFactor() != SecondFactorNone {
		return nil
	}
	return deleteRecoveryCodes(tx, m.id)
}

// codeHashes returns the hashes of codes.
func (s *Staff) codeHashes(ctx context.Context) (onetime.Hashes, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return onetime.Hashes{}, err
	}
	return onetime.NewHashes(keys.OTP), nil
}

// recoveryParts returns what is hashed of a recovery code in any notation.
func recoveryParts(memberID, code string) []string {
	code = strings.Map(func(r rune) rune {
		switch {
		case r == 'O':
			return '0'
		case r == 'I', r == 'L':
			return '1'
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			return r
		}
		return -1
	}, strings.ToUpper(code))
	return []string{"recovery code", memberID, code}
}
