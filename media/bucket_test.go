package media_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/media"
)

// objects is storage in memory. Its requests are counted.
type objects struct {
	mu       sync.Mutex
	stored   map[string][]byte
	requests []string
	refuse   func(request string) error
}

func newObjects() *objects {
	return &objects{stored: map[string][]byte{}, refuse: func(string) error { return nil }}
}

func (o *objects) begin(request string) (done func(), err error) {
	o.mu.Lock()
	o.requests = append(o.requests, request)
	return o.mu.Unlock, o.refuse(request)
}

func (o *objects) Get(_ context.Context, name string, offset int64) (io.ReadCloser, int64, error) {
	done, err := o.begin("GET " + name)
	defer done()
	if err != nil {
		return nil, 0, err
	}
	content, ok := o.stored[name]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(content[offset:])), int64(len(content)), nil
}

func (o *objects) Put(_ context.Context, name string, content []byte, replace bool) error {
	done, err := o.begin("PUT " + name)
	defer done()
	if _, ok := o.stored[name]; ok && !replace && err == nil {
		err = fs.ErrExist
	}
	if err == nil {
		o.stored[name] = content
	}
	return err
}

func (o *objects) Delete(_ context.Context, name string) error {
	done, err := o.begin("DELETE " + name)
	defer done()
	if err == nil {
		delete(o.stored, name)
	}
	return err
}

func (o *objects) List(_ context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		done, err := o.begin("LIST " + folder)
		names := slices.Sorted(maps.Keys(o.stored))
		done()
		if err != nil {
			yield("", err)
			return
		}
		for _, name := range names {
			if strings.HasPrefix(name, folder+"/") && !yield(name, nil) {
				return
			}
		}
	}
}

func TestBucket(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"", "media"} {
		testStore(t, media.NewBucket(newObjects(), folder))
	}
}

// An upload that ends early has not stored the file that names the image.
func TestBucket_Interrupted(t *testing.T) {
	t.Parallel()
	storage := newObjects()
	s := media.NewBucket(storage, "media")
	large, _ := images(t)
	failure := errors.New("connection lost")
	for left := range len(large.Files) {
		n := 0
		storage.refuse = func(request string) error {
			if strings.HasPrefix(request, "PUT") {
				if n++; n > left {
					return failure
				}
			}
			return nil
		}
		if err := s.Put(t.Context(), "acme", large); !errors.Is(err, failure) {
			t.Fatalf("after %d files: got %v, want %v", left, err, failure)
		}
		if _, err := s.Open(t.Context(), "acme", media.NameOf(large, large.Files[0])); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d files: got %v, want ErrNotExist", left, err)
		}
	}
	storage.refuse = func(string) error { return nil }
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	if names := stored(t, s, "acme"); len(names) != len(large.Files) {
		t.Errorf("repeated: got %v", names)
	}
	storage.stored["media/acme/"+large.ID[:2]+"/"+large.ID+"/320.jpg"] = []byte("short")
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, "acme", media.NameOf(large, large.Files[2])); !bytes.Equal(got, large.Files[2].Data) {
		t.Errorf("a damaged file: got %d bytes, want it replaced", len(got))
	}
}

// A file is read with one request, each range of it with one more.
func TestBucket_Requests(t *testing.T) {
	t.Parallel()
	storage := newObjects()
	s := media.NewBucket(storage, "media")
	large, _ := images(t)
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	storage.requests = nil
	file, err := s.Open(t.Context(), "acme", media.NameOf(large, large.Files[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data := large.Files[0].Data
	for _, seek := range []struct {
		offset int64
		whence int
		at     int
	}{{0, io.SeekEnd, len(data)}, {0, io.SeekStart, 0}, {100, io.SeekStart, 100}, {-50, io.SeekEnd, len(data) - 50}} {
		if at, err := file.Seek(seek.offset, seek.whence); err != nil || at != int64(seek.at) {
			t.Fatalf("seek %v: got %d, %v", seek, at, err)
		}
		got, err := io.ReadAll(io.LimitReader(file, 200))
		if want := data[seek.at:min(len(data), seek.at+200)]; err != nil || !bytes.Equal(got, want) {
			t.Errorf("read at %d: got %d bytes, %v, want %d", seek.at, len(got), err, len(want))
		}
	}
	if _, err := file.Seek(-1, io.SeekStart); err == nil {
		t.Error("a negative position: got no error")
	}
	if len(storage.requests) != 3 {
		t.Errorf("got requests %v, want 3", storage.requests)
	}
}
