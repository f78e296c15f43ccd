package cmd

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"storefront/server"
	"storefront/tenants"
)

// limitFlags holds the flags that limit requests.
type limitFlags struct {
	rate, burst, shopRate, shopBurst                       int
	maxBody                                                int // KiB
	requestMemory                                          int // MiB; 0 means automatic
	mediaQuota                                             int // MiB
	maxConnections                                         int // 0 means automatic
	maxClientConnections                                   int
	graphqlBytes, graphqlDepth, graphqlFields, graphqlCost int
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.rate, "rate", 50, "requests per second and client address, not counting prepared responses; 0 means no limit")
	flags.IntVar(&f.burst, "burst", 200, "number of requests that one client may send at once, not counting prepared responses")
	flags.IntVar(&f.shopRate, "shop-rate", 0, "requests per second and shop, not counting prepared responses; 0 means ten times --rate")
	flags.IntVar(&f.shopBurst, "shop-burst", 0,
		"number of requests that a shop may receive at once, not counting prepared responses; 0 means ten times --burst")
	flags.IntVar(&f.maxBody, "max-body", 1024, "maximum size of a request body, in KiB; of a webhook or a GraphQL request 64")
	flags.IntVar(&f.requestMemory, "request-memory", 0,
		"memory for the bodies of requests and for responses being sent, in MiB; 0 means an eighth of the machine's memory, at most 128")
	flags.IntVar(&f.mediaQuota, "media-quota", 5120, "maximum size of all uploaded images of a shop, in MiB")
	flags.IntVar(&f.maxConnections, "max-connections", 0, "number of open connections; 0 means half of the open-file limit")
	flags.IntVar(&f.maxClientConnections, "max-connections-per-client", 512,
		"number of open connections of one client address, at most a quarter of all; a trusted proxy has no limit of its own")
	flags.IntVar(&f.graphqlBytes, "graphql-max-bytes", 16384, "maximum size of a GraphQL document, in bytes")
	flags.IntVar(&f.graphqlDepth, "graphql-max-depth", 12, "maximum depth of a GraphQL document")
	flags.IntVar(&f.graphqlFields, "graphql-max-fields", 1000, "maximum number of fields in a GraphQL document, including aliases")
	flags.IntVar(&f.graphqlCost, "graphql-max-cost", 1000, "maximum total cost of the operations in a GraphQL document; a list costs its limit")
}

func (f *limitFlags) check() error {
	if f.mediaQuota < 1 {
		return errors.New("--media-quota must be at least 1")
	}
	if min(f.rate, f.shopRate, f.shopBurst) < 0 || min(f.burst, f.maxBody, f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost) < 1 {
		return errors.New("--burst, --max-body and the --graphql-max limits must be at least 1; --rate, --shop-rate and --shop-burst must not be negative")
	}
	if min(f.requestMemory, f.maxConnections) < 0 || f.maxClientConnections < 1 {
		return errors.New("--request-memory and --max-connections must not be negative; --max-connections-per-client must be at least 1")
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
	if cfg.MaxClientConnections = f.maxClientConnections; cfg.MaxConnections > 0 {
		cfg.MaxClientConnections = min(cfg.MaxClientConnections, max(cfg.MaxConnections/4, 1))
	}
	cfg.Rate, cfg.Burst, cfg.MaxBody = f.rate, f.burst, int64(f.maxBody)<<10
	cfg.ShopRate, cfg.ShopBurst = f.shopRate, f.shopBurst
	if dev || f.rate == 0 {
		cfg.Rate = -1
	}
	cfg.GraphQLBytes, cfg.GraphQLDepth, cfg.GraphQLFields, cfg.GraphQLCost = f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost
}

// maxRequestMemory is enough for thousands of requests of usual size, and for sending a dozen lists
// of thousands of products at the same time.
const maxRequestMemory = 128 << 20

// defaultRequestMemory returns the memory for requests on a machine with this memory, 0 if that is
// unknown, which means the server's default.
func defaultRequestMemory(machine uint64) int64 {
	return int64(min(machine/8, maxRequestMemory))
}

// defaultConnections returns the limit of connections for an open-file limit: the other half is for
// the shops' files. An unknown limit, 0, means the server's default.
func defaultConnections(files uint64) int {
	return int(min(files/2, 1<<20))
}
