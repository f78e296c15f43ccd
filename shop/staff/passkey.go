package staff

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/passkey"
	"storefront/shop/throttle"
)

// passkeys is the table of the passkeys of staff members.
var passkeys = passkey.Table{Name: "staff_passkeys", Owner: "staff_id"}

// maxPasskeyName limits the name of a passkey, in characters.
const maxPasskeyName = 60

// actionCloned is the action of a proof by a passkey that two devices have, in the audit log.
const actionCloned = "passkey.clone"

// errPasskey is the same for every passkey that is not accepted, so that it reveals nobody.
func errPasskey() error {
	return fault.Errorf(fault.CodeInvalidCredentials, "The passkey was not accepted. Start again, or sign in in another way.")
}

// ceremony returns a ceremony at the page of the caller. Codes: state_conflict (there are no
// passkeys at such a page).
func (s *Staff) ceremony(ctx context.Context, caller access.Caller, purpose passkey.Purpose, subject string) (passkey.Ceremony, error) {
	site, err := passkey.SiteOf(caller.Origin)
	if err != nil {
		return passkey.Ceremony{}, err
	}
	keys, err := s.throttles(ctx)
	return passkey.Ceremony{Purpose: purpose, Site: site, Subject: subject, Keys: keys}, err
}

// BeginPasskeySignIn returns options to sign in with any passkey that was created at the host of
// the page. Nothing is stored. Codes: state_conflict (no HTTPS, or an IP address).
func (s *Staff) BeginPasskeySignIn(ctx context.Context, caller access.Caller) (*passkey.RequestOptions, error) {
	c, err := s.ceremony(ctx, caller, passkey.ToSignIn, "")
	if err != nil {
		return nil, err
	}
	return c.Site.Request(c.NewChallenge(s.cfg.Now()), nil), nil
}

// SignInByPasskey creates a session with a passkey, which counts as both factors: the authenticator
// has verified its user. Every failure returns the same error. Codes: invalid_credentials,
// rate_limited.
func (s *Staff) SignInByPasskey(ctx context.Context, caller access.Caller, in passkey.Assertion) (*SignedIn, error) {
	c, err := s.ceremony(ctx, caller, passkey.ToSignIn, "")
	if fault.HasCode(err, fault.CodeStateConflict) {
		return nil, errPasskey()
	}
	if err != nil {
		return nil, err
	}
	if _, ok := c.FindChallenge(in.ClientData(), s.cfg.Now()); !ok || in.UserHandle == nil {
		return nil, errPasskey()
	}
	a, err := s.newPasskeyAttempt(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	memberID, err := s.findPasskeyOwner(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := a.begin(ctx, memberID); err != nil {
		return nil, err
	}
	var session *SignedIn
	err = s.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		m, err := findMember(tx, memberID)
		switch {
		case isNotFound(err), err == nil && m.status != StatusActive:
			return errPasskey(), nil
		case err != nil:
			return nil, err
		}
		if refusal, err := a.usePasskey(tx, c, &m, in); refusal != nil || err != nil {
			return refusal, err
		}
		if err := a.succeed(tx); err != nil {
			return nil, err
		}
		session, err = s.openSession(tx, &m, caller, a.settings)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return session, nil
}

// newPasskeyAttempt returns an attempt by a passkey. Failures are counted by passkey and client: a
// passkey cannot be guessed, so strangers with one need not delay anybody else.
func (s *Staff) newPasskeyAttempt(ctx context.Context, caller access.Caller, in passkey.Assertion) (*attempt, error) {
	a, err := s.newUnlimitedAttempt(ctx, caller)
	if err != nil {
		return nil, err
	}
	a.Own = delayed(a.source, a.settings, "staff passkey", string(in.CredentialID()), caller.Client)
	if caller.Client != "" {
		a.Client = throttle.NewDelayed(a.source.Hash("staff by client", caller.Client), failuresByClient, time.Hour, failureDelay)
	}
	return a, nil
}

// findPasskeyOwner returns the ID of the staff member who has a passkey, "" if nobody has.
func (s *Staff) findPasskeyOwner(ctx context.Context, in passkey.Assertion) (memberID string, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := passkeys.Find(tx, in.CredentialID())
		if isNotFound(err) {
			return nil
		}
		memberID = row.Owner
		return err
	})
	return memberID, err
}

// usePasskey verifies a proof by a staff member's passkey, and uses up its challenge. A sign count
// that was used before is refused and recorded: a second device has the private key. Codes of the
// refusal: invalid_credentials.
func (a *attempt) usePasskey(tx *db.Tx, c passkey.Ceremony, m *memberRow, in passkey.Assertion) (refusal, err error) {
	challenge, ok := c.FindChallenge(in.ClientData(), tx.Now())
	if !ok {
		return errPasskey(), nil
	}
	row, err := passkeys.Find(tx, in.CredentialID())
	if isNotFound(err) || err == nil && row.Owner != m.id {
		return errPasskey(), nil
	}
	if err != nil {
		return nil, err
	}
	cloned, err := c.Site.Check(challenge, &row, in)
	if fault.HasCode(err, fault.CodeInvalidCredentials) {
		return errPasskey(), nil
	}
	if err != nil {
		return nil, err
	}
	fresh, err := challenge.Use(tx)
	if err != nil {
		return nil, err
	}
	if !fresh {
		return errPasskey(), nil
	}
	if cloned {
		return errPasskey(), a.staff.recordAs(tx, Actor{Kind: access.ActorStaff}, a.caller, actionCloned, m.subject(),
			[]access.Change{access.Set("passkey", row.Name)})
	}
	return nil, passkeys.SaveUse(tx, &row)
}

// BeginPasskeyProof returns options to prove the caller's session with one of the caller's
// passkeys. Codes: state_conflict (there is none for the host of the page), unauthenticated,
// forbidden.
func (s *Staff) BeginPasskeyProof(ctx context.Context, caller access.Caller) (*passkey.RequestOptions, error) {
	c, err := s.ceremony(ctx, caller, passkey.ToProve, "")
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToBeginPasskeyProof, func(tx *db.Tx, who access.Staff) (*passkey.RequestOptions, error) {
		me := who.(*identity)
		c.Subject = me.session.id
		rows, err := passkeys.List(tx, me.member.id)
		if err != nil {
			return nil, err
		}
		options := c.Site.Request(c.NewChallenge(s.cfg.Now()), rows)
		if len(options.Allow) == 0 {
			return nil, fault.Errorf(fault.CodeStateConflict, "There is no passkey for %s: enter your password or a code.", c.Site.Host())
		}
		return options, nil
	})
}

// proveByPasskey proves a session. Codes of the refusal: invalid_credentials.
func (a *attempt) proveByPasskey(tx *db.Tx, who *identity, in passkey.Assertion) (refusal, err error) {
	site, err := passkey.SiteOf(a.caller.Origin)
	if err != nil {
		return errPasskey(), nil
	}
	return a.usePasskey(tx, passkey.Ceremony{Purpose: passkey.ToProve, Site: site, Subject: who.session.id, Keys: a.source}, who.member, in)
}

// BeginPasskey returns options to create a passkey of the caller for the host of the page. Codes:
// proof_required, state_conflict (no HTTPS, an IP address, or too many), unauthenticated,
// forbidden.
func (s *Staff) BeginPasskey(ctx context.Context, caller access.Caller) (*passkey.CreationOptions, error) {
	c, err := s.ceremony(ctx, caller, passkey.ToAdd, "")
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToBeginPasskey, func(tx *db.Tx, who access.Staff) (*passkey.CreationOptions, error) {
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return nil, err
		}
		c.Subject = me.session.id
		rows, err := passkeys.List(tx, me.member.id)
		if err != nil {
			return nil, err
		}
		if err := passkey.CheckCount(rows); err != nil {
			return nil, err
		}
		handle := passkey.HandleOf(string(s.cfg.ID), me.member.id)
		user := passkey.NewUser(handle, me.member.contact()+" ("+me.settings.Name+")", me.member.name)
		return c.Site.Create(c.NewChallenge(s.cfg.Now()), me.settings.Name, user, rows), nil
	})
}

// AddPasskeyInput is the input of [Staff.AddPasskey].
type AddPasskeyInput struct {
	Name       string              `json:"name" doc:"Such as the device; at most 60 characters"`
	Credential passkey.Attestation `json:"credential"`
}

// NewPasskey is a new passkey of a staff member.
type NewPasskey struct {
	passkey.Passkey
	// RecoveryCodes are for an account without another second factor: a shop that requires one needs
	// them if the passkey is lost.
	RecoveryCodes []string `json:"recoveryCodes" nullable:"false" doc:"Shown once; empty if there was a second factor"`
}

// AddPasskey adds a passkey that was created with [Staff.BeginPasskey]. It is a second factor, too,
// and the first one comes with recovery codes. Codes: proof_required, validation_failed,
// invalid_credentials (it was not created with live options of this session and page),
// state_conflict (too many, or it is set up already), unauthenticated, forbidden.
func (s *Staff) AddPasskey(ctx context.Context, caller access.Caller, in AddPasskeyInput) (*NewPasskey, error) {
	who, err := s.identify(ctx, caller, access.ToAddPasskey)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	name := checkPasskeyName(&bad, in.Name)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	c, err := s.ceremony(ctx, caller, passkey.ToAdd, who.session.id)
	if err != nil {
		return nil, err
	}
	challenge, ok := c.FindChallenge(in.Credential.ClientData(), s.cfg.Now())
	if !ok {
		return nil, errPasskey()
	}
	row, err := c.Site.Verify(challenge, passkey.HandleOf(string(s.cfg.ID), who.member.id), in.Credential)
	if err != nil {
		return nil, err
	}
	hashes, err := s.codeHashes(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, access.ToAddPasskey, func(tx *db.Tx, who access.Staff) (*NewPasskey, error) {
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return nil, err
		}
		fresh, err := challenge.Use(tx)
		if err != nil {
			return nil, err
		}
		if !fresh {
			return nil, errPasskey()
		}
		row.ID, row.Owner, row.Name, row.CreatedAt = s.cfg.IDs.Next(tx.Now()), me.member.id, name, tx.Now()
		if err := passkeys.Insert(tx, &row); err != nil {
			return nil, err
		}
		added := &NewPasskey{Passkey: row.Passkey, RecoveryCodes: []string{}}
		if me.member.secondFactor() == SecondFactorNone {
			if added.RecoveryCodes, err = s.replaceRecoveryCodes(tx, hashes, me.member.id); err != nil {
				return nil, err
			}
		}
		return added, who.Audit(tx, subjectOfPasskey(&row), access.Set("host", row.Host))
	})
}

func checkPasskeyName(bad *fault.Invalid, text string) string {
	name := input.CheckLine(bad, "name", text, maxPasskeyName)
	if input.ShowsNothing(name) {
		bad.Add("name", fault.CodeRequired, "A name is required, such as the device.")
	}
	return name
}

// subjectOfPasskey returns a passkey as in the audit log.
func subjectOfPasskey(row *passkey.Row) access.Subject {
	return access.Subject{Kind: access.SubjectPasskey, ID: row.ID, Label: row.Name}
}

// ListPasskeys returns the caller's passkeys, the oldest first. Codes: unauthenticated, forbidden,
// second_factor_setup_required.
func (s *Staff) ListPasskeys(ctx context.Context, caller access.Caller) ([]passkey.Passkey, error) {
	return access.Read(ctx, s.data, caller, access.ToListPasskeys, func(tx *db.Tx, who access.Staff) ([]passkey.Passkey, error) {
		rows, err := passkeys.List(tx, who.(*identity).member.id)
		return passkey.Passkeys(rows), err
	})
}

// RenamePasskey sets the name of one of the caller's passkeys. Codes: validation_failed, not_found,
// unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) RenamePasskey(ctx context.Context, caller access.Caller, id, name string) (*passkey.Passkey, error) {
	return access.Write(ctx, s.data, caller, access.ToRenamePasskey, func(tx *db.Tx, who access.Staff) (*passkey.Passkey, error) {
		var bad fault.Invalid
		name := checkPasskeyName(&bad, name)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		row, err := passkeys.Require(tx, who.(*identity).member.id, id)
		if err != nil {
			return nil, err
		}
		before := row.Name
		if row.Name = name; before == name {
			return &row.Passkey, nil
		}
		if err := passkeys.Rename(tx, &row); err != nil {
			return nil, err
		}
		return &row.Passkey, who.Audit(tx, subjectOfPasskey(&row), access.Changed("name", before, name)...)
	})
}

// RemovePasskey removes one of the caller's passkeys, and with the last second factor the recovery
// codes. Codes: not_found, proof_required, state_conflict (it is the only second factor, and the
// shop requires one), unauthenticated, forbidden, second_factor_setup_required.
func (s *Staff) RemovePasskey(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, s.data, caller, access.ToRemovePasskey, func(tx *db.Tx, who access.Staff) error {
		me := who.(*identity)
		if err := me.session.checkProof(tx.Now()); err != nil {
			return err
		}
		m := me.member
		row, err := passkeys.Require(tx, m.id, id)
		if err != nil {
			return err
		}
		if m.passkeys == 1 && m.totpStep == nil && m.needsSecondFactor(me.settings) {
			return fault.Errorf(fault.CodeStateConflict, "A second factor is required, and this is the only one: set up another one first.")
		}
		if err := passkeys.Delete(tx, row.ID); err != nil {
			return err
		}
		m.passkeys--
		if err := deleteUnusedCodes(tx, m); err != nil {
			return err
		}
		return who.Audit(tx, subjectOfPasskey(&row))
	})
}

// removePasskeys removes all passkeys of a staff member who uses a link.
func (s *Staff) removePasskeys(tx *db.Tx, m *memberRow, caller access.Caller) error {
	rows, err := passkeys.List(tx, m.id)
	if err != nil {
		return err
	}
	for i := range rows {
		if err := passkeys.Delete(tx, rows[i].ID); err != nil {
			return err
		}
		if err := s.recordAs(tx, m.actor(), caller, access.ToRemovePasskey.Action, subjectOfPasskey(&rows[i]), nil); err != nil {
			return err
		}
	}
	m.passkeys = 0
	return deleteUnusedCodes(tx, m)
}
