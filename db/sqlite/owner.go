package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"storefront/db"
)

// fileOwner is the user and the group that a file belongs to.
type fileOwner struct{ uid, gid int }

// String returns the user's name, if it has one, and number.
func (o fileOwner) String() string {
	uid := strconv.Itoa(o.uid)
	if u, err := user.LookupId(uid); err == nil {
		return fmt.Sprintf("%s (uid %s)", u.Username, uid)
	}
	return "uid " + uid
}

// checkOwner compares the user of this process with the owner of the tenants' files, so that no
// command leaves files that the server cannot open. Only root can change a file's owner: its
// commands do so with [Files.SetOwner], all other users are refused. Errors: [db.ErrOtherUser].
func (s *Files) checkOwner() error {
	owner, known := ownerOf(filepath.Join(s.dir, tenantsDir))
	if !known && s.opts.Command && os.Geteuid() == 0 {
		owner, known = ownerOf(s.dir) // created for a server that has not been started yet
	}
	switch {
	case !known, owner.uid == os.Geteuid():
		return nil
	case s.opts.Command && os.Geteuid() == 0:
		s.owner = &owner
		return nil
	}
	return fmt.Errorf("%w: the data folder %s belongs to %v, and this process runs as %v: run it as the folder's owner",
		db.ErrOtherUser, s.dir, owner, fileOwner{uid: os.Geteuid()})
}

// SetOwner makes a file or folder that this process has created in the data folder belong to the
// folder's owner. It only has an effect in a command of root, which may run beside a server of
// another user.
func (s *Files) SetOwner(path string) error {
	if s.owner == nil {
		return nil
	}
	return os.Lchown(path, s.owner.uid, s.owner.gid)
}

// InheritOwner makes a file or folder that root has created belong to the owner of its parent
// folder. For other users it does nothing.
func InheritOwner(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner, known := ownerOf(filepath.Dir(path))
	if !known || owner.uid == 0 {
		return nil
	}
	return os.Lchown(path, owner.uid, owner.gid)
}

// createFolder creates a folder of the store, accessible to its owner alone, unless it exists.
func (s *Files) createFolder(path string) error {
	return MakeFolder(path, s.SetOwner)
}

// createOwned creates an empty file that belongs to the folder's owner from the moment it exists.
// An existing file stays.
func (s *Files) createOwned(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := os.CreateTemp(s.dir, lockPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = errors.Join(s.SetOwner(f.Name()), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if os.IsExist(err) {
		return nil
	}
	return err
}

// FindForeignFiles returns the owner of the folder tenants, in the form that chown expects, and the
// files in a data folder that belong to another user, so that the server cannot open them.
func FindForeignFiles(dir string) (owner string, foreign []string, err error) {
	user, known := ownerOf(filepath.Join(dir, tenantsDir))
	if !known {
		return "", nil, nil
	}
	for _, sub := range []string{"", tenantsDir, trashDir, stepsDir} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !os.IsNotExist(err) {
			return "", nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, sub, e.Name())
			if of, known := ownerOf(path); known && of.uid != user.uid {
				foreign = append(foreign, path)
			}
		}
	}
	return fmt.Sprintf("%d:%d", user.uid, user.gid), foreign, nil
}
