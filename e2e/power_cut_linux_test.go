package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// powered is a disk whose machine can lose power.
type powered struct {
	t  *testing.T
	at string // where it is mounted
	// sync writes everything to the disk.
	sync func()
	// copied returns a folder with what a power cut at this moment would leave.
	copied func() string

	mu      sync.Mutex
	running []*exec.Cmd // the commands that write to it
}

// newImageDisk makes an empty disk with a usual file system. It writes names and content late and
// in any order, unless a program syncs them.
func newImageDisk(t *testing.T) *powered {
	t.Helper()
	image := filepath.Join(t.TempDir(), "disk")
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", image, "512M").CombinedOutput(); err != nil {
		t.Skipf("this test must be able to make a file system: %v %s", err, out)
	}
	d := &powered{t: t, at: t.TempDir(), sync: syscall.Sync}
	mounted(t, d.at, "-o", "loop,data=writeback,noauto_da_alloc,commit=300", image)
	d.copied = func() string {
		found, at := filepath.Join(t.TempDir(), "disk"), t.TempDir()
		// A copy is that of one moment if nothing was written meanwhile: the kernel continues to write.
		for before, after := "", "-"; before != after; after = d.written() {
			before = d.written()
			if out, err := exec.Command("cp", "--sparse=always", image, found).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
		mounted(t, at, "-o", "loop", found)
		return at
	}
	return d
}

// written returns the number of writes to the disk, and of those that have not ended.
func (d *powered) written() string {
	d.t.Helper()
	device, err := exec.Command("findmnt", "-n", "-o", "SOURCE", d.at).Output()
	if err != nil {
		d.t.Fatal(err)
	}
	name := filepath.Base(strings.TrimSpace(string(device)))
	stat, err := os.ReadFile("/sys/block/" + name + "/stat")
	if err != nil {
		d.t.Fatal(err)
	}
	fields := strings.Fields(string(stat))
	return fields[4] + " " + fields[8]
}

// newVolatileDisk makes an empty disk with only what programs have synced.
func newVolatileDisk(t *testing.T) *powered {
	t.Helper()
	d := &powered{t: t, at: t.TempDir()}
	files := newVolatile(t, d.at)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.sync = func() { check(files.syncAll()) }
	d.copied = func() string {
		at := t.TempDir()
		check(files.writeTo(at))
		return at
	}
	return d
}

// path is the path of a file or folder on the disk.
func (d *powered) path(names ...string) string {
	return filepath.Join(append([]string{d.at}, names...)...)
}

// fill puts a copy of a data folder on the disk, as if it was written long ago.
func (d *powered) fill(data string) {
	d.t.Helper()
	copyFolder(d.t, data, d.path("data"))
	d.sync()
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// run runs a command of the program that writes to the disk, and reports whether it succeeded.
func (d *powered) run(args ...string) (out []byte, ok bool) {
	cmd := storefront(d.t, append(args, "--data", d.path("data"))...)
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	d.mu.Lock()
	err := cmd.Start()
	d.running = append(d.running, cmd)
	d.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = slices.DeleteFunc(d.running, func(other *exec.Cmd) bool { return other == cmd })
	if err != nil {
		d.t.Errorf("storefront %s: %v\n%s", strings.Join(args, " "), err, text.String())
	}
	return []byte(text.String()), err == nil
}

// cut returns a folder with the disk as the machine would find it after a power cut at this moment.
// The programs pause meanwhile.
func (d *powered) cut(server *process) string {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, cmd := range append(d.running, server.cmd) {
		_ = cmd.Process.Signal(syscall.SIGSTOP)
		defer func() { _ = cmd.Process.Signal(syscall.SIGCONT) }()
	}
	return d.copied()
}

// acknowledged is what was acknowledged before a power cut.
type acknowledged struct {
	mu       sync.Mutex
	pictures []string        // IDs of uploaded pictures
	backups  []string        // names of files of backups
	shops    map[string]bool // shops that were created or restored, false once deleted
}

func (a *acknowledged) now() *acknowledged {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := &acknowledged{pictures: slices.Clone(a.pictures), backups: slices.Clone(a.backups), shops: map[string]bool{}}
	for uid, is := range a.shops {
		now.shops[uid] = is
	}
	return now
}

// dropChanged omits the shops that were created or deleted since. The power was cut before or
// after that.
func (a *acknowledged) dropChanged(since *acknowledged) {
	maps.DeleteFunc(a.shops, func(uid string, is bool) bool {
		later, known := since.shops[uid]
		return !known || later != is
	})
}

// note records an answer.
func (a *acknowledged) note(record func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	record()
}

// A machine loses power while buyers order, pictures are uploaded, and shops are backed up,
// restored, created and deleted: all that was acknowledged before is there, and nothing is
// half-written.
func TestPowerCut(t *testing.T) {
	dbtest.NeedFiles(t, "it cuts the power of their disk")
	t.Parallel()
	for name, disk := range map[string]func(*testing.T) *powered{"usual": newImageDisk, "volatile": newVolatileDisk} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testPowerCut(t, disk(t))
		})
	}
}

// The machine with the data folder loses power at each step of a move, in both directions; the
// database is at another one. The shop is then in one place, which has every order, and sells on.
func TestPowerCut_Move(t *testing.T) {
	shareImages(t) // each cut is followed by a server on another disk
	for name, disk := range map[string]func(*testing.T) *powered{"usual": newImageDisk, "volatile": newVolatileDisk} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, made := &traveller{cluster: dbtest.NewCluster(t)}, newShop(t, "acme", 100_000)
			for n, m := range moveMoments {
				found := filepath.Join(t.TempDir(), fmt.Sprint(n))
				t.Run(fmt.Sprintf("to %s, %s", m.to, m.name), func(t *testing.T) {
					d := disk(t)
					d.fill(made)
					s.t, s.data = t, d.path("data")
					s.serve()
					s.product, _ = s.server.product("acme", "item-0")
					s.crash(m)
					s.server.kill()
					copyFolder(t, filepath.Join(d.copied(), "data"), found)
					s.data = found
					s.serve()
					s.wantWhole(m)
					s.server.stop()
				})
				made = found
			}
		})
	}
}

func testPowerCut(t *testing.T, d *powered) {
	made, uids := marketShops(t, 1)
	uid := uids[0]
	key := mediaKey(t, made, uid)
	d.fill(made)
	p := serve(t, "--data", d.path("data"), "--rate", "0")
	m := openMarket(t, p, uids, 4)
	answers := &acknowledged{shops: map[string]bool{}}
	var work sync.WaitGroup
	stop := make(chan struct{})
	during := func(do func(round int) bool) {
		work.Go(func() {
			for round := 0; ; round++ {
				select {
				case <-stop:
					return
				default:
				}
				if !do(round) {
					return
				}
			}
		})
	}
	during(func(round int) bool { return d.upload(p, answers, uid, key, round) })
	during(func(round int) bool { return d.copyShop(answers, uid, round) })

	for _, cut := range some([]int{0, 1, 2, 3, 4, 5}, 2, 6) {
		m.sell(60 + 7*cut)
		sales, before := m.sales()[uid], answers.now()
		at := d.cut(p)
		before.dropChanged(answers.now())
		d.wantAfter(filepath.Join(at, "data"), filepath.Join(at, "backups"), uid, key, sales, before)
	}
	close(stop)
	work.Wait()
	m.close()
}

// upload uploads a picture.
func (d *powered) upload(p *process, answers *acknowledged, uid, key string, round int) bool {
	got, err := p.do(upload(uid, key, photo(d.t, 300, 200, round+1)))
	if err != nil || got.status >= 300 && got.status != http.StatusServiceUnavailable {
		d.t.Errorf("upload: %v %d %s", err, got.status, got.body)
		return false
	}
	var image uploaded
	if got.status < 300 && json.Unmarshal(got.body, &image) == nil {
		answers.note(func() { answers.pictures = append(answers.pictures, image.ID) })
	}
	return round < 90 // as many as one list has
}

// copyShop backs the shop up, restores it as another one and deletes that one, as well as a new
// shop.
func (d *powered) copyShop(answers *acknowledged, uid string, round int) bool {
	out, ok := d.run("backup", uid, d.path("backups"), "--json")
	var made struct{ Backups []struct{ File string } }
	if !ok || json.Unmarshal(out, &made) != nil {
		return false
	}
	file := made.Backups[0].File
	answers.note(func() { answers.backups = append(answers.backups, file) })

	clone, fresh := fmt.Sprint("clone-", round), fmt.Sprint("fresh-", round)
	copied := d.path("clones", clone+".db")
	for _, step := range []struct {
		shop string
		is   bool
		args []string
	}{
		{clone, true, []string{"restore", d.path("backups", file), "--as", clone}},
		{clone, true, []string{"backup", clone, copied}},
		{clone, true, []string{"restore", copied}}, // in place
		{fresh, true, []string{"tenant", "create", fresh, "--name", "Fresh"}},
		{clone, false, []string{"tenant", "delete", clone, "--yes"}},
	} {
		answers.note(func() {
			if answers.shops[step.shop] != step.is {
				delete(answers.shops, step.shop) // it may be either from now on
			}
		})
		if _, ok := d.run(step.args...); !ok {
			return false
		}
		answers.note(func() { answers.shops[step.shop] = step.is })
	}
	return true
}

// wantAfter checks a data folder and a folder of backups after a power cut.
func (d *powered) wantAfter(data, backups, uid, key string, sales []sale, before *acknowledged) {
	d.t.Helper()
	t := d.t
	if missing := lacking(ordersIn(t, data, uid), sales); len(missing) > 0 {
		t.Errorf("%d of %d acknowledged orders are lost", len(missing), len(sales))
	}
	var listed []struct{ UID string }
	decode(t, run(t, "tenant", "list", "--json", "--data", data), &listed)
	for shop, is := range before.shops {
		if has := slices.ContainsFunc(listed, func(one struct{ UID string }) bool { return one.UID == shop }); has != is {
			t.Errorf("%s is there: %v, want %v", shop, has, is)
		}
	}
	out, _ := storefront(t, "doctor", "--json", "--data", data).Output()
	d.wantSound(out)
	if len(before.backups) > 0 {
		run(t, "backup", "verify", backups, "--data", data)
	}
	for _, file := range before.backups {
		if _, err := os.Stat(filepath.Join(backups, file)); err != nil {
			t.Errorf("a backup is lost: %v", err)
		}
	}
	p := serve(t, "--data", data, "--rate", "0")
	defer p.stop()
	all := p.wholeImages(uid, key)
	for _, id := range before.pictures {
		if !slices.Contains(all, id) {
			t.Errorf("the picture %s was acknowledged and is lost", id)
		}
	}
	p.order(uid, fmt.Sprint("after-", time.Now().UnixNano())).want(t, http.StatusCreated, "")
}

// wantSound checks the findings of doctor about each shop.
func (d *powered) wantSound(doctor []byte) {
	d.t.Helper()
	var found struct {
		Shops []struct {
			UID      string
			Findings []struct{ Code, State, Message string }
		}
	}
	decode(d.t, string(doctor), &found)
	if len(found.Shops) == 0 {
		d.t.Errorf("doctor examined no shop: %s", doctor)
	}
	for _, shop := range found.Shops {
		for _, finding := range shop.Findings {
			if finding.State == "failing" {
				d.t.Errorf("%s: %s: %s", shop.UID, finding.Code, finding.Message)
			}
		}
	}
}
