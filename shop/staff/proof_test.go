package staff_test

import (
	"slices"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// With the setting, a staff member without a second factor can do nothing but set one up.
func TestSecondFactor_Required(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner, viewer := a.Member(t, staff.RoleOwner, ownersEmail), a.Member(t, staff.RoleViewer, "viewer@example.com")
	a.Set(t, map[string]any{"requireSecondFactor": "owners"})
	for _, use := range access.UseCases() {
		if slices.Contains(access.InstallationPermissions(), use.Permission) { // nobody in a shop has it
			continue
		}
		allowed := slices.Contains([]access.UseCase{
			access.ToFindSession, access.ToProveSession, access.ToEndSession, access.ToStartTOTP, access.ToConfirmTOTP,
			access.ToBeginPasskey, access.ToAddPasskey,
		}, use)
		_, err := a.Staff.Authorize(t.Context(), owner, use)
		if got := shoptest.ErrorCode(err); allowed && got != "" || !allowed && got != fault.CodeSecondFactorSetupRequired {
			t.Errorf("%s: got %q, allowed %v", use, got, allowed)
		}
	}
	if _, err := a.Staff.ListSessions(t.Context(), viewer); err != nil {
		t.Errorf("viewer: got %v, want the requirement for owners alone", err)
	}
	if session, err := a.Staff.FindSession(t.Context(), owner); err != nil || !session.SetupRequired {
		t.Errorf("got %+v, %v, want a session that requires the set-up", session, err)
	}
	a.TOTP(t, owner)
	if _, err := a.Staff.ListMembers(t.Context(), owner); err != nil {
		t.Errorf("after the set-up: got %v", err)
	}
	a.Set(t, map[string]any{"requireSecondFactor": "everyone"})
	_, err := a.Staff.ListSessions(t.Context(), viewer)
	shoptest.WantCode(t, err, fault.CodeSecondFactorSetupRequired)
}

func TestProof(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	secret, _ := a.TOTP(t, owner)
	a.Clock.Advance(16 * time.Minute)
	shoptest.WantCode(t, a.Staff.RemoveTOTP(t.Context(), owner), fault.CodeProofRequired)
	_, err := a.Staff.ProveSession(t.Context(), owner, staff.ProofInput{Password: new("wrong")})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	_, err = a.Staff.ProveSession(t.Context(), owner, staff.ProofInput{Code: new("000000")})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	for _, in := range []staff.ProofInput{{Password: new(shoptest.Password)}, {Code: new(shoptest.TOTPCode(t, secret, a.Clock.Now()))}} {
		a.Clock.Advance(16 * time.Minute)
		if in.Code != nil {
			in.Code = new(shoptest.TOTPCode(t, secret, a.Clock.Now()))
		}
		session, err := a.Staff.ProveSession(t.Context(), owner, in)
		if err != nil || !session.ProvedAt.Equal(a.Clock.Now().Truncate(time.Millisecond)) {
			t.Errorf("got %+v, %v, want a proof now", session, err)
		}
		if _, err := a.Staff.ListAPIKeys(t.Context(), owner); err != nil {
			t.Errorf("after the proof: got %v", err)
		}
	}
	if err := a.Staff.RemoveTOTP(t.Context(), owner); err != nil {
		t.Error(err)
	}
}

// A session without recent proof must not set up the second factor that would then be its proof.
func TestProof_SecondFactorSetUp(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	setup, err := a.Staff.StartTOTP(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	a.Clock.Advance(16 * time.Minute)
	_, err = a.Staff.StartTOTP(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeProofRequired)
	_, err = a.Staff.ConfirmTOTP(t.Context(), owner, shoptest.TOTPCode(t, setup.Secret, a.Clock.Now()))
	shoptest.WantCode(t, err, fault.CodeProofRequired)
	if _, err := a.Staff.ProveSession(t.Context(), owner, staff.ProofInput{Password: new(shoptest.Password)}); err != nil {
		t.Fatal(err)
	}
	a.Clock.Advance(14 * time.Minute)
	if _, err := a.Staff.ConfirmTOTP(t.Context(), owner, shoptest.TOTPCode(t, setup.Secret, a.Clock.Now())); err != nil {
		t.Errorf("with proof: got %v", err)
	}
	a.Clock.Advance(time.Minute)
	_, err = a.Staff.ListAPIKeys(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeProofRequired) // the confirmation has not proved anything
}
