package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// ErrOtherOwner means that another installation writes to the target. The histories of a UID would
// mix there.
var ErrOtherOwner = errors.New("the replica belongs to another installation")

// ImagesFolder is the name of the folder on a target that holds the shops' uploaded images, by UID.
const ImagesFolder = "media"

// OwnerFile is the name of the file on a target that identifies its owner.
const OwnerFile = "owner"

// owner is the claim of this process to the target.
type owner struct {
	name string // "" if the target is not claimed

	mu      sync.Mutex
	claimed bool
}

// UseOwner sets the name under which the target is claimed before the first upload. It must be
// called before anything is replicated.
func (r *Replicator) UseOwner(name string) { r.owner.name = name }

// Claim makes this installation the owner of the target unless it has one. The first upload does
// so, too; calling Claim at the start reports another owner early. Errors: [ErrOtherOwner].
func (r *Replicator) Claim(ctx context.Context) error {
	o := &r.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.claimed || o.name == "" {
		return nil
	}
	found, err := r.target.owner(ctx)
	for _, replace := range []bool{false, true} { // replaced if a crash left it empty
		if err != nil || found != "" {
			break
		}
		if err = r.target.place.write(ctx, OwnerFile, []byte(o.name+"\n"), replace); err == nil || errors.Is(err, fs.ErrExist) {
			found, err = r.target.owner(ctx) // another server may have been faster
		}
	}
	if err != nil {
		return fmt.Errorf("claim replica %s: %w", r.target, err)
	}
	if found != o.name {
		return fmt.Errorf("%w: %s names the key %s in the file %s, the key of this data folder is %s",
			ErrOtherOwner, r.target, found, OwnerFile, o.name)
	}
	o.claimed = true
	return nil
}

// owner returns the name of the target's owner, or "".
func (t *Target) owner(ctx context.Context) (string, error) {
	content, err := t.place.read(ctx, OwnerFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(content)), err
}
