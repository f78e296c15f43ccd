package replica

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/benbjohnson/litestream"
	"github.com/benbjohnson/litestream/file"
)

// Target is a place that replicas are kept in.
type Target struct {
	name  string // without anything secret
	place place
}

// place is what differs between kinds of targets. Paths have slashes.
type place interface {
	// check says whether the place is there.
	check(ctx context.Context) error
	// client gives Litestream's way to one folder.
	client(path string) litestream.ReplicaClient
	// list gives the names of the folders in a folder, sorted; none if there is no such folder.
	list(ctx context.Context, path string) ([]string, error)
}

// ParseTarget reads where replicas are kept: a folder (a path, or file:///path), or
// s3://BUCKET/PREFIX?endpoint=URL&region=NAME. It touches nothing. Credentials come from the
// environment and from nowhere else, so that they are in no list of processes and in no log.
func ParseTarget(text string) (*Target, error) {
	scheme, _, hasScheme := strings.Cut(text, "://")
	if !hasScheme {
		return folderTarget(text)
	}
	u, err := url.Parse(text)
	if err != nil { // its text repeats the address, and what it may hold
		return nil, errors.New("the replica's address can not be read: it is a folder, file:///FOLDER or s3://BUCKET/PREFIX")
	}
	if u.User != nil {
		return nil, errors.New("credentials do not belong into the replica's address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	switch scheme {
	case "file":
		if u.Host != "" || u.Path == "" || u.RawQuery != "" {
			return nil, errors.New("a replica's folder is given as file:///FOLDER, with three slashes")
		}
		return folderTarget(filepath.FromSlash(u.Path))
	case "s3":
		if u.Host == "" {
			return nil, errors.New("a replica in S3 is given as s3://BUCKET/PREFIX")
		}
		place, err := newS3Place(u)
		if err != nil {
			return nil, err
		}
		return &Target{name: "s3://" + u.Host + u.Path, place: place}, nil
	}
	return nil, fmt.Errorf("replicas can not be kept in %s: give a folder, file:///FOLDER or s3://BUCKET/PREFIX", scheme)
}

// String names the target, for people.
func (t *Target) String() string { return t.name }

// Check says whether the target can be reached.
func (t *Target) Check(ctx context.Context) error {
	if err := t.place.check(ctx); err != nil {
		return fmt.Errorf("the replica %s can not be reached: %w", t, err)
	}
	return nil
}

// Folder is the target's folder on this machine, or "" if it is elsewhere.
func (t *Target) Folder() string {
	f, _ := t.place.(folder)
	return string(f)
}

// folder is a folder of this machine, or one that is mounted.
type folder string

func folderTarget(path string) (*Target, error) {
	if path == "" {
		return nil, errors.New("the replica's address is empty: it is a folder, file:///FOLDER or s3://BUCKET/PREFIX")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return &Target{name: abs, place: folder(abs)}, nil
}

// check wants the folder to be there: where it is made, and the disk that should be at its place is
// not mounted, replicas would be on the very disk that they are to outlive.
func (f folder) check(context.Context) error {
	info, err := os.Stat(string(f))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no folder %s: mount it, or make it once with mkdir", string(f))
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a folder", string(f))
	}
	return err
}

func (f folder) client(path string) litestream.ReplicaClient {
	return folderClient{file.NewReplicaClient(filepath.Join(string(f), filepath.FromSlash(path))), f}
}

func (f folder) list(_ context.Context, path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(string(f), filepath.FromSlash(path)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
