package cmd

import (
	"errors"

	"github.com/spf13/pflag"

	"storefront/server"
)

// limitFlags bound what one client may ask for.
type limitFlags struct {
	rate, burst                                            int
	maxBody                                                int // KiB
	graphqlBytes, graphqlDepth, graphqlFields, graphqlCost int
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.rate, "rate", 50, "requests a second of one client address whose answer is not prepared; 0: no bound")
	flags.IntVar(&f.burst, "burst", 200, "how many such requests may come at once")
	flags.IntVar(&f.maxBody, "max-body", 1024, "largest body of a request, in KiB")
	flags.IntVar(&f.graphqlBytes, "graphql-max-bytes", 16384, "longest GraphQL document, in bytes")
	flags.IntVar(&f.graphqlDepth, "graphql-max-depth", 12, "levels that a GraphQL document may have")
	flags.IntVar(&f.graphqlFields, "graphql-max-fields", 1000, "fields that a GraphQL document may name, aliases included")
	flags.IntVar(&f.graphqlCost, "graphql-max-cost", 1000, "what the operations of a GraphQL document may cost together; a list costs what its limit is")
}

func (f *limitFlags) check() error {
	if f.rate < 0 || min(f.burst, f.maxBody, f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost) < 1 {
		return errors.New("--burst, --max-body and the limits of GraphQL are at least 1; --rate is not negative")
	}
	return nil
}

// set puts the limits into the server's settings. In development there is no rate: one developer's
// load test is not an attack.
func (f *limitFlags) set(cfg *server.Config, dev bool) {
	cfg.Rate, cfg.Burst, cfg.MaxBody = f.rate, f.burst, int64(f.maxBody)<<10
	if dev || f.rate == 0 {
		cfg.Rate = -1
	}
	cfg.GraphQLBytes, cfg.GraphQLDepth, cfg.GraphQLFields, cfg.GraphQLCost = f.graphqlBytes, f.graphqlDepth, f.graphqlFields, f.graphqlCost
}
