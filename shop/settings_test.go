package shop_test

import (
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// A setting that another use case guards needs its permission, and its proof, here too.
func TestSettings_FurtherPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner, manager := a.StaffCaller(t, staff.RoleOwner), a.StaffCaller(t, staff.RoleManager)
	key := a.KeyCaller(t)
	set := func(caller access.Caller, name string, value any) fault.Code {
		return shoptest.ErrorCode(a.SetSettings(t.Context(), caller, shoptest.Raw(t, map[string]any{name: value})))
	}
	for name, value := range map[string]any{
		"suspended": true, "activeMode": "sandbox", "requireSecondFactor": "everyone", "limits": map[string]any{"wrongPasswords": 50},
		"proofOfWork": []string{"otp"}, "orderTokenDays": 0,
	} {
		if got := set(manager, name, value); got != fault.CodeForbidden {
			t.Errorf("manager sets %s: got %q, want forbidden", name, got)
		}
		if got := set(owner, name, value); got != "" {
			t.Errorf("owner sets %s: got %q", name, got)
		}
		a.Set(t, map[string]any{name: nil})
		wantOfKey := fault.CodeForbidden
		if name == "activeMode" {
			wantOfKey = ""
		}
		a.Set(t, map[string]any{name: nil})
		if got := set(key, name, value); got != wantOfKey {
			t.Errorf("key sets %s: got %q, want %q", name, got, wantOfKey)
		}
		a.Set(t, map[string]any{name: nil})
	}
	a.Clock.Advance(16 * time.Minute)
	for _, name := range []string{"suspended", "limits"} {
		value := map[string]any{"suspended": true, "limits": map[string]any{"wrongPasswords": 50}}[name]
		if got := set(owner, name, value); got != fault.CodeProofRequired {
			t.Errorf("owner without proof sets %s: got %q, want proof_required", name, got)
		}
	}
	if got := set(manager, "storefrontUrl", "https://shop.example"); got != "" {
		t.Errorf("manager sets another setting: got %q", got)
	}
	if got := set(manager, "suspended", false); got != "" {
		t.Errorf("manager sends the value that a setting has: got %q", got)
	}
}

// Settings of one line have no line breaks, which would end a header or a message's first line.
func TestSettings_OneLine(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for _, text := range []string{"Acme\r\nBcc: x", "Acme\nBcc: x", "Acme\rBcc: x", "Acme\u2028Bcc: x", "Acme\tBcc: x"} {
		a.Set(t, map[string]any{
			"name": text, "legalPolicies": []any{map[string]any{"slug": "terms", "title": text}},
			"socialLinks": []any{map[string]any{"platform": text, "url": "https://example.com"}},
		})
		set, err := a.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{set.Name, set.LegalPolicies[0].Title, set.SocialLinks[0].Platform} {
			if got != "Acme Bcc: x" {
				t.Errorf("%q: got %q, want one line", text, got)
			}
		}
	}
}

// An owner changes the limits within bounds; the operator beyond them.
func TestSettings_LimitsOfOwners(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.StaffCaller(t, staff.RoleOwner)
	set := func(limits map[string]any) fault.Code {
		return shoptest.ErrorCode(a.SetSettings(t.Context(), owner, shoptest.Raw(t, map[string]any{"limits": limits})))
	}
	for _, tt := range []struct {
		name  string
		value int
		want  fault.Code
	}{
		{"wrongPasswords", 50, ""}, {"wrongPasswords", 51, fault.CodeValidationFailed},
		{"wrongPasswordsPerAccount", 1_000_000, fault.CodeValidationFailed}, {"wrongPasswordsPerAccount", 1, ""},
		{"wrongCodes", 1_000_000, fault.CodeValidationFailed}, {"messagesPerDay", 20_000, ""},
		{"codeInterval", 1, fault.CodeValidationFailed}, {"codeInterval", 6, ""}, {"codeInterval", 3600, ""},
	} {
		if got := set(map[string]any{tt.name: tt.value}); got != tt.want {
			t.Errorf("%s = %d: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	a.Set(t, map[string]any{"limits": map[string]any{"wrongCodes": 1_000_000}})
	if got := set(map[string]any{"wrongCodes": 1_000_000, "wrongPasswords": 3}); got != "" {
		t.Errorf("beside a limit of the operator: got %q", got)
	}
}
