package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// addedTrip is what each round trip to the database takes longer behind a delayed address: as in
// another building of the same city.
const addedTrip = 3 * time.Millisecond

// servers are one or several servers of the same shop, which share a load.
type servers struct {
	name string
	all  []*process
}

// The servers with compared results.
const (
	onFiles    = "files"
	onDatabase = "PostgreSQL"
	onTwo      = "PostgreSQL, two servers"
	onDistant  = "PostgreSQL, 3 ms away"
)

// engineLoad is a load that is measured on both engines.
type engineLoad struct {
	what        string
	connections int
	want        int
	requests    func(p *process) ([]request, error)
}

// measureEngines compares a shop in a file with the same shop in PostgreSQL on this machine: with
// one server, with two, and with a longer way to the database. Nothing is cached.
func (b *bench) measureEngines(ctx context.Context) (err error) {
	db, err := startPostgres(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		b.report.note("engines: not measured, PostgreSQL is not installed")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.stop()) }()
	csvFile := filepath.Join(b.folder, "engines.csv")
	if err := writeCatalogue(csvFile, productCount); err != nil {
		return err
	}
	compared, err := b.startEngines(ctx, db, csvFile)
	if err != nil {
		return err
	}
	for _, l := range b.engineLoads() {
		if err := b.compareEngines(ctx, l, compared); err != nil {
			return fmt.Errorf("%s: %w", l.what, err)
		}
	}
	for _, s := range compared {
		for _, p := range s.all {
			if slices.Contains(b.running, p) {
				err = errors.Join(err, b.stop(p))
			}
		}
	}
	return err
}

// startEngines creates the shop in both places and starts its servers.
func (b *bench) startEngines(ctx context.Context, db *database, csvFile string) ([]servers, error) {
	distant, err := db.delayed(ctx)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	shared := "STOREFRONT_KEY=" + base64.StdEncoding.EncodeToString(key)
	var started []*process
	for i, url := range []string{"", db.url, db.url, distant} {
		data := "data-engine-" + strconv.Itoa(i)
		var flags, env []string
		if url != "" {
			flags, env = []string{"--engine", url}, []string{shared}
		}
		if i < 2 { // the other servers are of the same shop in the database
			if err := createShopIn(b.binary, filepath.Join(b.folder, data), csvFile, flags, env); err != nil {
				return nil, err
			}
		}
		p, err := b.startEnv(ctx, "engine-"+strconv.Itoa(i), data, nil, env, append(flags, "--rate", "0", "--cache-size", "0")...)
		if err != nil {
			return nil, err
		}
		started = append(started, p)
	}
	return []servers{
		{onFiles, started[:1]}, {onDatabase, started[1:2]}, {onTwo, started[1:3]}, {onDistant, started[3:]},
	}, nil
}

func (b *bench) engineLoads() []engineLoad {
	handles := make([]string, productCount)
	for i := range handles {
		handles[i] = newProduct(i).handle
	}
	return []engineLoad{
		{"engines: order, one buyer", 1, http.StatusCreated, b.orders},
		{"engines: order, 16 buyers", 16, http.StatusCreated, b.orders},
		{"engines: list of 20", connections, http.StatusOK, func(p *process) ([]request, error) { return []request{b.get(p, listPath)}, nil }},
		{"engines: one product", connections, http.StatusOK, func(p *process) ([]request, error) {
			return requests(handles, func(h string) request { return b.get(p, "/api/v1/products/handle/"+h) }), nil
		}},
		{"engines: search", connections, http.StatusOK, func(p *process) ([]request, error) {
			return requests([]string{"lamp", "panjabi", "saree", "kettle", "shawl"}, func(word string) request {
				return b.get(p, query("/api/v1/products", "limit", "20", "search", word))
			}), nil
		}},
	}
}

// compareEngines measures one load on all servers, in turn, and reports the medians and the ratios.
func (b *bench) compareEngines(ctx context.Context, l engineLoad, compared []servers) error {
	results := rounds{}
	n := min(b.plan.rounds, 7)
	for range n {
		for _, s := range compared {
			m, err := b.measureServers(ctx, l, s.all)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			results[s.name] = append(results[s.name], m)
		}
	}
	for _, s := range compared {
		m := slices.SortedFunc(slices.Values(results[s.name]), func(x, y measured) int { return cmp.Compare(x.Rate, y.Rate) })[n/2]
		m.What, m.Server = l.what, s.name
		b.report.Measured = append(b.report.Measured, m)
	}
	b.report.note(fmt.Sprintf("%s: PostgreSQL %.2f × files, two servers %.2f × one, with %d ms more for each round trip %.2f × without.",
		l.what, results.ratio(onDatabase, onFiles), results.ratio(onTwo, onDatabase), addedTrip.Milliseconds(), results.ratio(onDistant, onDatabase)))
	return nil
}

// measureServers measures a load that several servers share equally.
func (b *bench) measureServers(ctx context.Context, l engineLoad, all []*process) (sum measured, err error) {
	type outcome struct {
		measured
		err error
	}
	outcomes := make(chan outcome)
	for _, p := range all {
		list, err := l.requests(p)
		if err != nil {
			return measured{}, err
		}
		share := contestant{process: p, requests: list, want: l.want, connections: max(1, l.connections/len(all))}
		go func() {
			m, err := b.measure(ctx, share)
			outcomes <- outcome{m, err}
		}()
	}
	for range all {
		o := <-outcomes
		err = errors.Join(err, o.err)
		sum.Rate += o.Rate
		sum.P50, sum.P99 = max(sum.P50, o.P50), max(sum.P99, o.P99)
		sum.Processor = max(sum.Processor, o.Processor)
		sum.Memory += o.Memory
		sum.Bytes = max(sum.Bytes, o.Bytes)
	}
	return sum, err
}

// database is a PostgreSQL of its own, with the defaults of the program, fsync included.
type database struct {
	folder, bin, url, address string
	as                        []string // what commands begin with, since PostgreSQL refuses root
}

// startPostgres starts a PostgreSQL. Errors: [exec.ErrNotFound] if it is not installed.
func startPostgres(ctx context.Context) (d *database, err error) {
	d = &database{}
	if d.bin, err = findPostgres(); err != nil {
		return nil, err
	}
	if d.folder, err = os.MkdirTemp("", "storefront-bench-postgres-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(d.folder))
		}
	}()
	if os.Geteuid() == 0 {
		d.as = []string{"runuser", "-u", "postgres", "--"}
		if err := giveTo(d.folder, "postgres"); err != nil {
			return nil, err
		}
	}
	if d.address, err = freeAddress(); err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(d.address, ":")
	data := filepath.Join(d.folder, "data")
	d.url = "postgres://storefront@" + d.address + "/postgres?sslmode=disable"
	err = d.run(ctx, "initdb", "-D", data, "-A", "trust", "-U", "storefront", "-E", "UTF8", "--locale=C")
	if err != nil {
		return nil, err
	}
	options := "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories="
	return d, d.run(ctx, "pg_ctl", "-D", data, "-l", filepath.Join(d.folder, "log"), "-o", options, "-w", "start")
}

// findPostgres returns the folder of PostgreSQL's programs.
func findPostgres() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian's place
	if err == nil && len(found) == 0 {
		err = exec.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// giveTo makes a user the owner of a folder.
func giveTo(folder, name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	return os.Chown(folder, uid, gid)
}

func (d *database) run(ctx context.Context, program string, args ...string) error {
	argv := append(slices.Clone(d.as), append([]string{filepath.Join(d.bin, program)}, args...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = d.folder
	var out strings.Builder // a file of its own would stay open in the server
	cmd.Stderr = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w: %s", program, err, out.String())
	}
	return nil
}

// stop stops the database and removes its files.
func (d *database) stop() error {
	err := d.run(context.Background(), "pg_ctl", "-D", filepath.Join(d.folder, "data"), "-m", "fast", "-w", "stop")
	return errors.Join(err, os.RemoveAll(d.folder))
}

// delayed returns a URL of the database behind which each round trip takes addedTrip longer.
func (d *database) delayed(ctx context.Context) (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", d.address)
			if err != nil {
				_ = near.Close()
				continue
			}
			go delay(near, far, addedTrip/2)
			go delay(far, near, addedTrip/2)
		}
	}()
	return strings.Replace(d.url, d.address, l.Addr().String(), 1), nil
}

// delay copies from one connection to another, each byte that much later.
func delay(to, from net.Conn, by time.Duration) {
	type part struct {
		due  time.Time
		data []byte
	}
	parts := make(chan part, 1024)
	go func() {
		defer close(parts)
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				parts <- part{time.Now().Add(by), slices.Clone(buffer[:n])}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range parts {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
	for range parts { // until the reader has ended
	}
}
