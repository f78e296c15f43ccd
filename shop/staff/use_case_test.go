package staff_test

import (
	"context"
	"slices"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// saves counts the effects of a use case that saves a coupon.
type saves struct {
	*shoptest.Accounts
	data   access.Data
	runs   int
	change string // executed between the authorization and the transaction; "" means nothing
}

func newSaves(t *testing.T) *saves {
	t.Helper()
	s := &saves{Accounts: shoptest.NewAccounts(t)}
	s.data = access.Data{Store: s.Store, ID: s.Config.ID}
	s.data.Authorize = func(ctx context.Context, caller access.Caller, use access.UseCase) (access.Staff, error) {
		who, err := s.Staff.Authorize(ctx, caller, use)
		if err == nil && s.change != "" {
			s.Exec(t, s.change)
		}
		return who, err
	}
	return s
}

func (s *saves) save(ctx context.Context, caller access.Caller) error {
	return access.Do(ctx, s.data, caller, access.ToSaveCoupon,
		func(tx *db.Tx, who access.Staff) error {
			s.runs++
			return who.Audit(tx, access.Subject{Kind: access.SubjectCoupon, ID: "c"})
		})
}

// want checks the code of the error, and that exactly as many effects happened and are audited.
func (s *saves) want(t *testing.T, err error, code fault.Code, effects int) {
	t.Helper()
	if got := shoptest.ErrorCode(err); got != code {
		t.Errorf("got %v, want %q", err, code)
	}
	entries := s.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'coupon.save'`)
	if entries != int64(effects) {
		t.Errorf("got %d entries of the audit log, want %d", entries, effects)
	}
}

// The path of a use case lets through who has the permission, in every role.
func TestUseCase_Roles(t *testing.T) {
	t.Parallel()
	for _, role := range staff.Roles() {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			s := newSaves(t)
			code, effects := fault.CodeForbidden, 0
			if role.Has(access.CouponsWrite) {
				code, effects = "", 1
			}
			err := s.save(t.Context(), s.StaffCaller(t, role))
			s.want(t, err, code, effects)
			if s.runs != effects {
				t.Errorf("got %d runs, want %d", s.runs, effects)
			}
		})
	}
}

// What is withdrawn between the authorization and the transaction is missing in the transaction,
// whether the use case or the transport before it has authorized the caller.
func TestUseCase_Withdrawn(t *testing.T) {
	t.Parallel()
	session := func(t *testing.T, s *saves) access.Caller {
		return s.StaffCaller(t, staff.RoleManager)
	}
	key := func(t *testing.T, s *saves) access.Caller {
		return s.KeyCaller(t, "coupons.write")
	}
	for name, test := range map[string]struct {
		caller func(*testing.T, *saves) access.Caller
		change string
		want   fault.Code
	}{
		"session ended": {session, `DELETE FROM staff_sessions`, fault.CodeUnauthenticated},
		"role lowered":  {session, `UPDATE staff SET role = 'viewer'`, fault.CodeForbidden},
		"denied":        {session, `UPDATE staff SET denies = '["coupons.write"]'`, fault.CodeForbidden},
		"turned off":    {session, `UPDATE staff SET status = 'off'`, fault.CodeUnauthenticated},
		"key revoked":   {key, `DELETE FROM admin_tokens`, fault.CodeUnauthenticated},
		"key expired":   {key, `UPDATE admin_tokens SET expires_at = 1`, fault.CodeUnauthenticated},
		"scope removed": {key, `UPDATE admin_tokens SET scopes = '["orders.read"]'`, fault.CodeForbidden},
	} {
		for _, admitted := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSaves(t)
				caller := test.caller(t, s)
				if s.change = test.change; admitted {
					who, err := s.Staff.Authorize(t.Context(), caller, access.ToSaveCoupon)
					if err != nil {
						t.Fatal(err)
					}
					caller.Authorized, caller.AuthorizedFor = who, access.ToSaveCoupon
				}
				s.want(t, s.save(t.Context(), caller), test.want, 0)
				if s.runs != 0 {
					t.Errorf("got %d runs, want none", s.runs)
				}
			})
		}
	}
}

// A caller who was authorized for one use case is authorized again for another.
func TestUseCase_AuthorizedForAnother(t *testing.T) {
	t.Parallel()
	s := newSaves(t)
	caller := s.KeyCaller(t, "coupons.read")
	who, err := s.Staff.Authorize(t.Context(), caller, access.ToListCoupons)
	if err != nil {
		t.Fatal(err)
	}
	caller.Authorized, caller.AuthorizedFor = who, access.ToListCoupons
	s.want(t, s.save(t.Context(), caller), fault.CodeForbidden, 0)
}

// A request with an idempotency key has its effect once: a repetition gets the first response, or
// what was changed if that was not stored.
func TestUseCase_IdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newSaves(t)
	request := func(nonce, fingerprint string) access.Caller {
		return access.Caller{Session: "session-of-owner", Request: access.Request{
			Operation: "saveCoupon", Key: "k", Fingerprint: fingerprint, Nonce: nonce,
		}}
	}
	s.StaffSession(t, staff.RoleOwner)
	find := func(caller access.Caller) (*staff.Response, error) {
		return s.Staff.FindResponse(t.Context(), caller, access.ToSaveCoupon, false)
	}
	first, second, other := request("1", "same"), request("2", "same"), request("3", "other")
	s.want(t, s.save(t.Context(), first), "", 1)
	s.want(t, s.save(t.Context(), first), "", 2) // another effect of the same request
	lost, err := find(second)
	if err != nil || lost == nil || lost.Lost == nil || lost.Lost.On.Kind != access.SubjectCoupon || lost.Lost.On.ID == "" {
		t.Errorf("before the response is stored: got %+v, %v, want the coupon that was saved", lost, err)
	}
	s.want(t, s.save(t.Context(), second), fault.CodeStateConflict, 2)
	response := staff.Response{Status: 200, Body: []byte(`{"code":"TEN"}`)}
	if err := s.Staff.SaveResponse(t.Context(), first, access.ToSaveCoupon, response, false); err != nil {
		t.Fatal(err)
	}
	stored, err := find(second)
	if err != nil || stored == nil || !slices.Equal(stored.Body, response.Body) {
		t.Errorf("repeated: got %+v, %v, want the first response", stored, err)
	}
	_, err = find(other)
	s.want(t, err, fault.CodeIdempotencyKeyReused, 2)
}
