package e2e

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// volatile is a file system that loses in a power cut all that POSIX lets a file system lose:
// content that was not synced since it was written, and names that were created, changed or
// removed since their folder was synced.
type volatile struct {
	live string // the folder with the files as programs see them
	root uint64 // its inode

	mu      sync.Mutex
	content map[uint64][]byte           // of files as last synced, by inode
	names   map[uint64]map[string]entry // of folders as last synced, by inode
	held    map[uint64]*os.File         // each inode above: while it is open, its number is not reused
}

type entry struct {
	inode uint64
	info  os.FileInfo
}

// newVolatile mounts an empty file system at a folder, and skips the test where that is refused.
func newVolatile(t *testing.T, at string) *volatile {
	t.Helper()
	v := &volatile{
		live: t.TempDir(), content: map[uint64][]byte{}, names: map[uint64]map[string]entry{}, held: map[uint64]*os.File{},
	}
	root, err := fs.NewLoopbackRoot(v.live)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(v.live)
	if err != nil {
		t.Fatal(err)
	}
	v.root = inodeOf(info)
	node := &volatileNode{root.(*fs.LoopbackNode), v}
	node.RootData.RootNode = node
	server, err := fs.Mount(at, node, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, AllowOther: true}})
	if err != nil {
		t.Skipf("this test must be able to mount a file system of its own: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			_ = syscall.Unmount(at, syscall.MNT_DETACH)
		}
		for _, file := range v.held {
			file.Close()
		}
	})
	return v
}

// volatileNode is a file or folder of a volatile file system.
type volatileNode struct {
	*fs.LoopbackNode
	disk *volatile
}

var (
	_ fs.NodeWrapChilder    = (*volatileNode)(nil)
	_ fs.NodeFsyncer        = (*volatileNode)(nil)
	_ fs.NodeOpendirHandler = (*volatileNode)(nil)
)

func (n *volatileNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &volatileNode{child.(*fs.LoopbackNode), n.disk}
}

func (n *volatileNode) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	handle, flags, errno := n.LoopbackNode.OpendirHandle(ctx, flags)
	if errno != fs.OK {
		return nil, 0, errno
	}
	return openFolder{handle.(folderHandle), n}, flags, fs.OK
}

// openFolder is a handle of a folder that its node syncs.
type openFolder struct {
	folderHandle
	node *volatileNode
}

type folderHandle interface {
	fs.FileReaddirenter
	fs.FileSeekdirer
	fs.FileReleasedirer
}

func (f openFolder) Fsyncdir(ctx context.Context, flags uint32) syscall.Errno {
	return f.node.Fsync(ctx, nil, flags)
}

// Fsync makes the content of a file durable, or the names in a folder.
func (n *volatileNode) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	inode := n.StableAttr().Ino
	if n.IsRoot() { // its number is always 1
		inode = n.disk.root
	}
	return fs.ToErrno(n.disk.sync(filepath.Join(n.disk.live, n.Path(n.Root())), inode))
}

// sync makes a file or folder with an inode durable.
func (v *volatile) sync(path string, inode uint64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	file, err := os.Open(path)
	if os.IsNotExist(err) { // deleted and still open
		return nil
	}
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil || inodeOf(info) != inode {
		file.Close()
		return err
	}
	if v.held[inode] == nil {
		v.held[inode] = file
	} else {
		defer file.Close()
	}
	if !info.IsDir() {
		v.content[inode], err = os.ReadFile(path)
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	names := map[string]entry{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		names[e.Name()] = entry{inodeOf(info), info}
	}
	v.names[inode] = names
	return nil
}

func inodeOf(info os.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// syncAll makes everything durable.
func (v *volatile) syncAll() error {
	return filepath.Walk(v.live, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return v.sync(path, inodeOf(info))
	})
}

// writeTo writes what a power cut leaves to a new folder.
func (v *volatile) writeTo(dir string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.writeFolder(dir, v.root)
}

func (v *volatile) writeFolder(dir string, inode uint64) error {
	for name, e := range v.names[inode] {
		path := filepath.Join(dir, name)
		if !e.info.IsDir() {
			if err := os.WriteFile(path, v.content[e.inode], e.info.Mode().Perm()); err != nil {
				return err
			}
			continue
		}
		if err := os.Mkdir(path, e.info.Mode().Perm()); err != nil {
			return err
		}
		if err := v.writeFolder(path, e.inode); err != nil {
			return err
		}
	}
	return nil
}
