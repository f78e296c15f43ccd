package cmd

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"storefront/server"
	"storefront/tenants"
)

// burst is the number of seconds' worth of requests that a client or a shop may send at the same
// time.
const burst = 4

// limitFlags holds the flags that limit requests.
type limitFlags struct {
	rate, shopRate int
	maxBody        int // KiB
	requestMemory  int // MiB; 0 means automatic
	mediaQuota     int // MiB
	maxConnections int // 0 means automatic
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.rate, "rate", 50,
		"requests per second and client address, without prepared responses, in bursts of four times as many; 0 means no limit")
	flags.IntVar(&f.shopRate, "shop-rate", 0,
		"requests per second and shop, without prepared responses, in bursts of four times as many; 0 means ten times --rate")
	flags.IntVar(&f.maxBody, "max-body", 1024, "maximum size of a request body, in KiB; for webhooks and GraphQL requests it is 64")
	flags.IntVar(&f.requestMemory, "request-memory", 0,
		"memory for the bodies of requests and for responses being sent, in MiB; 0 means an eighth of the machine's memory, at most 128")
	flags.IntVar(&f.mediaQuota, "media-quota", 5120, "maximum size of all uploaded images of a shop, in MiB")
	flags.IntVar(&f.maxConnections, "max-connections", 0, "number of open connections; 0 means half of the open-file limit")
}

func (f *limitFlags) check() error {
	if f.mediaQuota < 1 {
		return errors.New("--media-quota must be at least 1")
	}
	if f.maxBody < 1 || min(f.rate, f.shopRate) < 0 {
		return errors.New("--max-body must be at least 1; --rate and --shop-rate must not be negative")
	}
	if min(f.requestMemory, f.maxConnections) < 0 {
		return errors.New("--request-memory and --max-connections must not be negative")
	}
	return nil
}

// set copies the limits to cfg. In development mode there is no rate limit, because a developer's
// load test is not an attack.
func (f *limitFlags) set(cfg *server.Config, dev bool) {
	cfg.Memory = int64(f.requestMemory) << 20
	if f.requestMemory == 0 {
		cfg.Memory = defaultRequestMemory(tenants.Memory())
	}
	cfg.MaxConnections = cmp.Or(f.maxConnections, defaultConnections(tenants.FileLimit()))
	cfg.Rate, cfg.Burst, cfg.MaxBody = f.rate, burst*f.rate, int64(f.maxBody)<<10
	cfg.ShopRate, cfg.ShopBurst = f.shopRate, burst*f.shopRate
	if dev || f.rate == 0 {
		cfg.Rate = -1
	}
}

// maxRequestMemory is enough for thousands of requests of usual size, and for sending a dozen lists
// of thousands of products at the same time.
const maxRequestMemory = 128 << 20

// defaultRequestMemory returns the memory for requests on a machine with this memory. If that is
// unknown, it returns 0, the server's default.
func defaultRequestMemory(machine uint64) int64 {
	return int64(min(machine/8, maxRequestMemory))
}

// defaultConnections returns the limit of connections for an open-file limit: the other half is for
// the shops' files. An unknown limit, 0, means the server's default.
func defaultConnections(files uint64) int {
	return int(min(files/2, 1<<20))
}
