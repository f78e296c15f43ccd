package cmd

import (
	"errors"

	"github.com/spf13/pflag"

	"storefront/server"
)

// limitFlags holds the flags that limit requests.
type limitFlags struct {
	rate, burst                                            int
	maxBody                                                int // KiB
	graphqlBytes, graphqlDepth, graphqlFields, graphqlCost int
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.rate, "rate", 50, "requests per second and client address, not counting prepared responses; 0 means no limit")
	flags.IntVar(&f.burst, "burst", 200, "number of requests that one client may send at once, not counting prepared responses")
	flags.IntVar(&f.maxBody, "max-body", 1024, "maximum size of a request body, in KiB; of a webhook or a GraphQL request 64")
	flags.IntVar(&f.graphqlBytes, "graphql-max-bytes", 16384, "maximum size of a GraphQL document, in bytes")
	flags.IntVar(&f.graphqlDepth, "graphql-max-depth", 12, "maximum depth of a GraphQL document")
	flags.IntVar(&f.graphqlFields, "graphql-max-fields", 1000, "maximum number of fields in a GraphQL document, including aliases")
	flags.IntVar(&f.graphqlCost, "graphql-max-cost", 1000, "maximum total cost of the operations in a GraphQL document; a list costs its limit")
}

func (f *limitFlags) check() error {
	if f.rate < 0 || min(f.burst, f.maxBody, f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost) < 1 {
		return errors.New("--burst, --max-body and the --graphql-max limits must be at least 1; --rate must not be negative")
	}
	return nil
}

// set copies the limits to cfg. In development mode there is no rate limit, because a developer's load
// test is not an attack.
func (f *limitFlags) set(cfg *server.Config, dev bool) {
	cfg.Rate, cfg.Burst, cfg.MaxBody = f.rate, f.burst, int64(f.maxBody)<<10
	if dev || f.rate == 0 {
		cfg.Rate = -1
	}
	cfg.GraphQLBytes, cfg.GraphQLDepth, cfg.GraphQLFields, cfg.GraphQLCost = f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost
}
