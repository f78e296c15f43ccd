package tenants_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

func setDomains(t *testing.T, all *tenants.Tenants, uid string, domains ...string) error {
	t.Helper()
	_, err := all.SetSettings(t.Context(), uid, shoptest.Raw(t, map[string]any{"domains": domains}))
	return err
}

// owns waits until all knows that uid owns name; "" for nobody.
func owns(t *testing.T, all *tenants.Tenants, uid, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		owner, _ := all.DomainOwner(name)
		if owner.UID == uid {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s belongs to %q, want %q", name, owner.UID, uid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func shopState(t *testing.T, all *tenants.Tenants) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.WatchDomains(ctx, nil)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func TestSetSettings_DomainInUse(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, all, uid)
	}
	if err := setDomains(t, all, "acme", "shop.acme.example", "acme.example"); err != nil {
		t.Fatal(err)
	}
	err := setDomains(t, all, "maple", "maple.example", "SHOP.acme.example.")
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Code != fault.CodeValidationFailed || len(refused.Fields) != 1 || refused.Fields[0].Field != "domains[1]" {
		t.Fatalf("a domain of another shop: %v", err)
	}
	if !strings.Contains(refused.Fields[0].Message, "acme") {
		t.Errorf("the refusal does not name the owner: %s", refused.Fields[0].Message)
	}
	owns(t, all, "", "maple.example") // all of a change or nothing
	if err := setDomains(t, all, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	if err := setDomains(t, all, "maple", "shop.acme.example"); err != nil {
		t.Errorf("a domain that its shop gave up: %v", err)
	}
	owns(t, all, "maple", "shop.acme.example")
	owns(t, all, "acme", "acme.example")
}

// What a command changes, the server knows without being told.
func TestWatchDomains(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, command := open(t, dir, nil), open(t, dir, nil)
	create(t, command, "acme")
	shopState(t, server)
	if err := setDomains(t, command, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	if err := command.Suspend(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for owner, _ := server.DomainOwner("acme.example"); !owner.Suspended; owner, _ = server.DomainOwner("acme.example") {
		if time.Now().After(deadline) {
			t.Fatal("the server never knows that the shop is suspended")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := command.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	owns(t, server, "", "acme.example")
}

// The file beside the shops only saves work: it can be lost, broken or old.
func TestWatchDomains_StateFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, first, uid)
	}
	if err := setDomains(t, first, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "domains.json")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := setDomains(t, first, "maple", "maple.example"); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"old": old, "broken": []byte(`{"acme": `), "null": []byte(`{"acme": null}`), "lost": nil} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			again := open(t, dir, nil)
			shopState(t, again)
			owns(t, again, "acme", "acme.example")
			owns(t, again, "maple", "maple.example")
		})
	}
}

// A shop whose file is broken keeps its domain, and the others are found.
func TestWatchDomains_BrokenShop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, first, uid)
		if err := setDomains(t, first, uid, uid+".example"); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "tenants", "acme.db")
	if err := os.WriteFile(broken, bytes.Repeat([]byte("broken"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, nil)
	shopState(t, again)
	owns(t, again, "maple", "maple.example")
	owns(t, again, "acme", "acme.example")
}
