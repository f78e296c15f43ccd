package sqlite_test

import (
	"errors"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// A server of the first schema runs while commands of a program with the second one start: its
// files stay as they are, and it continues to sell.
func TestCommand_BesideOlderServer(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	server := startProcess(t, dir)
	server.mustDo("serve %s", shop)
	server.mustDo("order %s 2", shop)

	steps := []db.Step{addColumn, rebuild}
	command := openStore(t, dir, sqlite.Options{Schema: secondSchema, Steps: steps, Command: true})
	if _, err := command.Version(t.Context(), shop); !errors.Is(err, db.ErrOtherServer) {
		t.Errorf("read: got %v, want ErrOtherServer", err)
	}
	if _, err := command.Upgrade(t.Context(), shop); !errors.Is(err, db.ErrOtherServer) {
		t.Errorf("upgrade: got %v, want ErrOtherServer", err)
	}
	if err := command.Create(t.Context(), "new", nil); !errors.Is(err, db.ErrOtherServer) {
		t.Errorf("create: got %v, want ErrOtherServer", err)
	}
	server.mustDo("order %s 3", shop)

	server.cmd.Process.Kill()
	_ = server.cmd.Wait()
	if _, err := command.Version(t.Context(), shop); !errors.Is(err, db.ErrOutdated) {
		t.Errorf("read without a server: got %v, want ErrOutdated", err)
	}
	up, err := command.Upgrade(t.Context(), shop)
	if err != nil || up.From != 1 || up.To != 3 {
		t.Errorf("upgrade without a server: got %+v, %v, want from 1 to 3", up, err)
	}
	wantOrders(t, command, shop, 1, 2, 3)
}

// A command upgrades beside a server of the same schema, which would do it itself.
func TestCommand_BesideSameServer(t *testing.T) {
	t.Parallel()
	dir := oldShop(t)
	opts := sqlite.Options{Schema: secondSchema, Steps: []db.Step{addColumn, rebuild}}
	server := openStore(t, dir, opts)
	unlock, err := server.LockServer()
	if err != nil {
		t.Fatal(err)
	}
	opts.Command = true
	command := openStore(t, dir, opts)
	if _, err := command.Version(t.Context(), shop); !errors.Is(err, db.ErrOutdated) {
		t.Errorf("read: got %v, want ErrOutdated", err)
	}
	if _, err := command.Upgrade(t.Context(), shop); err != nil {
		t.Errorf("upgrade: %v", err)
	}
	if err := command.Create(t.Context(), "new", nil); err != nil {
		t.Errorf("create: %v", err)
	}
	if _, err := command.LockServer(); !errors.Is(err, db.ErrLocked) {
		t.Errorf("second server: got %v, want ErrLocked", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
