package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bench has the servers under measurement and the results.
type bench struct {
	plan   plan
	folder string
	binary string // the program, built as for a release

	shop     *process // with production settings
	uncached *process // the same shop without prepared responses
	limit    *process
	peer     *process // PocketBase as released
	peerFull *process // PocketBase with the shop's durability
	running  []*process

	sizes  map[string]int // of the shop's responses, by path of the limit
	report report
}

const (
	listPath    = "/api/v1/products?limit=20"
	graphqlPath = "/graphql"
	graphqlBody = `{"query":"{ products(limit: 20) { nodes { ` +
		`_id handle title vendor price { amount formatted } available stockStatus images { url alt } } meta { totalCount } } }"}`
	peerList    = "/api/collections/products/records?page=1&perPage=20&sort=-created"
	connections = 32
)

func newBench(folder string, p plan) *bench {
	return &bench{plan: p, folder: folder, binary: filepath.Join(folder, "storefront"), sizes: map[string]int{}}
}

// build builds the program, and the servers that it is compared with if compared is set.
func (b *bench) build(ctx context.Context, compared bool) error {
	builds := [][]string{
		{"..", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.binary, "."},
		{".", "go", "build", "-o", filepath.Join(b.folder, "limit"), "./limit"},
		{".", "go", "build", "-o", filepath.Join(b.folder, "peer"), "./peer"},
	}
	if !compared {
		builds = builds[:2]
	}
	for _, build := range builds {
		fmt.Fprintln(os.Stderr, strings.Join(build[1:], " "))
		cmd := exec.CommandContext(ctx, build[1], build[2:]...)
		cmd.Dir, cmd.Env = build[0], append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

// start starts the servers with the same catalogue.
func (b *bench) start(ctx context.Context) error {
	csvFile, jsonFile := filepath.Join(b.folder, "products.csv"), filepath.Join(b.folder, "products.jsonl")
	err := writeCatalogue(csvFile, productCount)
	if err != nil {
		return err
	}
	for _, data := range []string{"data", "data-uncached", "data-slow"} {
		if err := createShop(b.binary, filepath.Join(b.folder, data), csvFile); err != nil {
			return err
		}
	}
	if b.shop, err = b.startShop(ctx, "shop", "data", nil); err != nil {
		return err
	}
	if b.uncached, err = b.startShop(ctx, "uncached", "data-uncached", nil, "--cache-size", "0"); err != nil {
		return err
	}
	if err := copyCatalogue(b.shop.address, jsonFile); err != nil {
		return err
	}
	if b.peer, err = b.startPeer(ctx, "peer", jsonFile, nil); err != nil {
		return err
	}
	if b.peerFull, err = b.startPeer(ctx, "peer-full", jsonFile, nil, "PEER_FULL=1"); err != nil {
		return err
	}
	return b.startLimit(ctx)
}

// startShop starts the program with production settings. Only the rate limit is off, since all
// requests come from one address. under is a command that runs the server, such as strace; it may
// be nil.
func (b *bench) startShop(ctx context.Context, name, data string, under []string, flags ...string) (*process, error) {
	return b.startServer(ctx, name, data, under, append([]string{"--rate", "0"}, flags...)...)
}

// startServer starts the program with production settings.
func (b *bench) startServer(ctx context.Context, name, data string, under []string, flags ...string) (*process, error) {
	return b.startEnv(ctx, name, data, under, nil, flags...)
}

// startEnv is startServer with further environment variables.
func (b *bench) startEnv(ctx context.Context, name, data string, under, env []string, flags ...string) (*process, error) {
	return b.startBinary(ctx, b.binary, name, data, under, env, flags...)
}

// startBinary is startEnv for another build of the program.
func (b *bench) startBinary(ctx context.Context, binary, name, data string, under, env []string, flags ...string) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	argv := append(slices.Clone(under), binary, "serve", "--listen", address, "--data", filepath.Join(b.folder, data), "--logs", "json")
	p, err := start(ctx, b.folder, name, address, "/readyz", env, append(argv, flags...)...)
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

func (b *bench) startPeer(ctx context.Context, name, products string, under []string, env ...string) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	env = append(env, "PEER_DIR="+filepath.Join(b.folder, "data-"+name), "PEER_PRODUCTS="+products)
	argv := append(slices.Clone(under), filepath.Join(b.folder, "peer"), "serve", "--http", address)
	p, err := start(ctx, b.folder, name, address, "/api/health", env, argv...)
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

// startLimit starts the minimal server with responses of the same sizes as the shop's.
func (b *bench) startLimit(ctx context.Context) error {
	responses := []string{"/small=1024"}
	for name, r := range map[string]request{"/list": b.get(b.shop, listPath), "/graphql": b.graphql(b.shop)} {
		got, err := load{address: b.shop.address, requests: []request{r}, connections: 1, want: http.StatusOK}.run(ctx, 50*time.Millisecond)
		if err != nil {
			return err
		}
		b.sizes[name] = got.Bytes
		responses = append(responses, name+"="+strconv.Itoa(got.Bytes))
	}
	var err error
	b.limit, err = b.startMinimal(ctx, "limit", responses...)
	return err
}

// startMinimal starts a minimal server with responses of the form PATH=BYTES, /small among them.
func (b *bench) startMinimal(ctx context.Context, name string, responses ...string) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, b.folder, name, address, "/small", nil, append([]string{filepath.Join(b.folder, "limit"), address}, responses...)...)
	if err == nil {
		b.running = append(b.running, p)
	}
	return p, err
}

func (b *bench) stopAll() error {
	var errs []error
	for _, p := range b.running {
		errs = append(errs, p.stop())
	}
	b.running = nil
	return errors.Join(errs...)
}

// stop stops one server.
func (b *bench) stop(p *process) error {
	b.running = slices.DeleteFunc(b.running, func(other *process) bool { return other == p })
	return p.stop()
}

func (b *bench) get(p *process, path string) request {
	return newRequest(p.address, http.MethodGet, path, map[string]string{"x-tenant": uid}, "")
}

func (b *bench) graphql(p *process) request {
	return newRequest(p.address, http.MethodPost, graphqlPath, map[string]string{"x-tenant": uid}, graphqlBody)
}

// contestant is a server and its load in a comparison.
type contestant struct {
	name        string
	process     *process
	requests    []request
	want        int // HTTP status; 0 means 200
	connections int // 0 means 32
}

// rounds are the results by contestant, one per round.
type rounds map[string][]measured

// ratio returns the rate of one contestant divided by the other's rate: the median of the ratios
// per round. Both rates of a round are from the same few seconds, since a shared machine can become
// half as fast within minutes.
func (r rounds) ratio(one, other string) float64 {
	ratios := []float64{}
	for i, m := range r[one] {
		ratios = append(ratios, m.Rate/r[other][i].Rate)
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// compare measures the contestants in turn, round by round, and reports the median result of each.
func (b *bench) compare(ctx context.Context, what string, all ...contestant) (rounds, error) {
	results := rounds{}
	for range b.plan.rounds {
		for _, c := range all {
			m, err := b.measure(ctx, c)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", what, c.name, err)
			}
			results[c.name] = append(results[c.name], m)
		}
	}
	for _, c := range all {
		m := slices.SortedFunc(slices.Values(results[c.name]), func(x, y measured) int { return cmp.Compare(x.Rate, y.Rate) })[b.plan.rounds/2]
		m.What, m.Server = what, c.name
		b.report.Measured = append(b.report.Measured, m)
	}
	return results, nil
}

func (b *bench) measure(ctx context.Context, c contestant) (measured, error) {
	before, err := c.process.cpuTime()
	if err != nil {
		return measured{}, err
	}
	got, err := load{
		address: c.process.address, requests: c.requests, connections: cmp.Or(c.connections, connections), want: cmp.Or(c.want, http.StatusOK),
	}.run(ctx, b.plan.length)
	if err != nil {
		return measured{}, err
	}
	after, err := c.process.cpuTime()
	if err != nil {
		return measured{}, err
	}
	memory, err := c.process.memory()
	return measured{
		Rate: got.perSecond(), P50: got.P50, P99: got.P99, Processor: (after - before) / time.Duration(got.Requests), Memory: memory, Bytes: got.Bytes,
	}, err
}

// requests returns one request for each value.
func requests(values []string, newRequest func(value string) request) []request {
	list := []request{}
	for _, value := range values {
		list = append(list, newRequest(value))
	}
	return list
}

func query(path string, values ...string) string {
	q := url.Values{}
	for i := 0; i < len(values); i += 2 {
		q.Set(values[i], values[i+1])
	}
	return path + "?" + q.Encode()
}
