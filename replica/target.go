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

	"storefront/bucket"
)

// Target is a location for replicas: a folder or S3-compatible storage.
type Target struct {
	name  string // contains no secrets
	place place
}

// place is the part of a target that depends on its kind. Paths have slashes.
type place interface {
	// check returns an error if the place is unreachable.
	check(ctx context.Context) error
	// client returns Litestream's client of one folder.
	client(path string) litestream.ReplicaClient
	// read returns the content of a small file. Errors: fs.ErrNotExist.
	read(ctx context.Context, path string) ([]byte, error)
	// write creates or replaces a small file. It returns fs.ErrExist if the file exists and replace is
	// false.
	write(ctx context.Context, path string, content []byte, replace bool) error
	// list returns the names of the folders in a folder, sorted. A missing folder is empty.
	list(ctx context.Context, path string) ([]string, error)
	// objects returns the place as S3-compatible storage, nil if it is a folder.
	objects() *bucket.Bucket
}

// ParseTarget parses the address of a target: a folder (a path, or file:///path), or
// s3://BUCKET/PREFIX?endpoint=URL&region=NAME. It does not access the target. Credentials come only
// from the environment, so that no process list and no log contains them.
func ParseTarget(text string) (*Target, error) {
	scheme, _, hasScheme := strings.Cut(text, "://")
	if !hasScheme {
		return folderTarget(text)
	}
	u, err := url.Parse(text)
	if err != nil { // err's text repeats the address, which may contain a secret
		return nil, errors.New("the replica's address must be a folder, file:///FOLDER or s3://BUCKET/PREFIX")
	}
	if u.User != nil {
		return nil, errors.New("the replica's address must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	switch scheme {
	case "file":
		if u.Host != "" || u.Path == "" || u.RawQuery != "" {
			return nil, errors.New("a replica's folder must be written as file:///FOLDER, with three slashes")
		}
		return folderTarget(filepath.FromSlash(u.Path))
	case "s3":
		if u.Host == "" {
			return nil, errors.New("a replica in S3 must be written as s3://BUCKET/PREFIX")
		}
		place, err := newS3Place(u)
		if err != nil {
			return nil, err
		}
		return &Target{name: "s3://" + u.Host + u.Path, place: place}, nil
	}
	return nil, fmt.Errorf("unsupported replica scheme %s: must be a folder, file:///FOLDER or s3://BUCKET/PREFIX", scheme)
}

// String returns the target's address without secrets, for messages.
func (t *Target) String() string { return t.name }

// Check returns an error if the target is unreachable.
func (t *Target) Check(ctx context.Context) error {
	if err := t.place.check(ctx); err != nil {
		return fmt.Errorf("reach replica %s: %w", t, err)
	}
	return nil
}

// Folder returns the target's folder on this machine, or "" if the target is not a folder.
func (t *Target) Folder() string {
	f, _ := t.place.(folder)
	return string(f)
}

// Bucket returns the S3-compatible storage of the target, or nil if the target is a folder.
func (t *Target) Bucket() *bucket.Bucket { return t.place.objects() }

// folder is a target that is a folder of this machine, possibly a mounted one.
type folder string

func folderTarget(path string) (*Target, error) {
	if path == "" {
		return nil, errors.New("the replica's address is empty: must be a folder, file:///FOLDER or s3://BUCKET/PREFIX")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return &Target{name: abs, place: folder(abs)}, nil
}

// check returns an error if the folder does not exist. The program does not create it: if another
// disk should be mounted there, replicas would be on the disk that they protect against.
func (f folder) check(context.Context) error {
	info, err := os.Stat(string(f))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("folder %s does not exist: mount it, or create it once with mkdir", string(f))
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a folder", string(f))
	}
	return err
}

func (f folder) objects() *bucket.Bucket { return nil }

func (f folder) client(path string) litestream.ReplicaClient {
	return folderClient{file.NewReplicaClient(filepath.Join(string(f), filepath.FromSlash(path))), f}
}

func (f folder) read(_ context.Context, path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), filepath.FromSlash(path)))
}

func (f folder) write(ctx context.Context, path string, content []byte, replace bool) error {
	if err := f.check(ctx); err != nil {
		return err
	}
	path = filepath.Join(string(f), filepath.FromSlash(path))
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if !replace {
		flags |= os.O_EXCL
	}
	file, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
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
