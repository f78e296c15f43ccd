package tenants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// mediaLock is the lock of the servers that store the images of the database's shops in one place.
	mediaLock = "media"
	// mediaRenewal is the interval in which a server renews it.
	mediaRenewal = 10 * time.Second
	// folderIDFile identifies a data folder to the servers that share its database.
	folderIDFile = "folder-id"
)

// ErrOtherMedia means that another server of the database stores uploaded images in another place,
// where this one cannot read them.
var ErrOtherMedia = errors.New("another server of this database stores uploaded images in another place")

// ClaimMedia checks that no other server of the database stores uploaded images in another place,
// and prevents a later start of one. It does not wait: without a connection to the database,
// nothing is claimed. Errors: [ErrOtherMedia].
func (t *Tenants) ClaimMedia(ctx context.Context) error {
	if t.engines == nil {
		return nil
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return nil // reported when the data folder was opened
	}
	holder, err := t.mediaHolder()
	if err != nil {
		return err
	}
	held, err := p.HoldLock(ctx, mediaLock, holder)
	if err == nil && !held {
		err = ErrOtherMedia
	}
	return err
}

// RunMediaClaim renews the claim of [Tenants.ClaimMedia] until ctx ends.
func (t *Tenants) RunMediaClaim(ctx context.Context, log *slog.Logger) {
	if t.engines == nil {
		return
	}
	tick := time.NewTicker(mediaRenewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.releaseMedia(context.WithoutCancel(ctx), log)
			return
		case <-tick.C:
		}
		if err := t.ClaimMedia(ctx); err != nil && ctx.Err() == nil {
			log.Error("place of uploaded images not claimed", "error", err)
		}
	}
}

// releaseMedia lets a server with another data folder start. Servers that share their storage leave
// the claim to each other.
func (t *Tenants) releaseMedia(ctx context.Context, log *slog.Logger) {
	p := t.engines.remote.Load()
	if p == nil || t.mediaAddress != "" {
		return
	}
	holder, err := t.mediaHolder()
	if err == nil {
		err = p.ReleaseLock(ctx, mediaLock, holder)
	}
	if err != nil {
		log.Warn("place of uploaded images not released", "error", err)
	}
}

// mediaHolder returns the place of uploaded images. It is the same for all servers that read the
// same files.
func (t *Tenants) mediaHolder() (string, error) {
	if t.mediaAddress != "" {
		return t.mediaAddress, nil
	}
	host, err := os.Hostname() // a folder that was copied to another machine is another place
	if err != nil {
		return "", fmt.Errorf("read host name: %w", err)
	}
	path := filepath.Join(t.dir, folderIDFile)
	id, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		id = []byte(rand.Text())
		if err = os.WriteFile(path, id, 0o600); err == nil {
			err = t.files.SetOwner(path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("identify data folder: %w", err)
	}
	return "folder " + strings.TrimSpace(string(id)) + " on " + host, nil
}
