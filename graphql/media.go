package graphql

import (
	"net/http"
	"strconv"
	"strings"
)

// Media types of responses.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// accepted is what a client accepts for a response.
type accepted struct {
	media string
	// byName is true if the client lists the media type itself, not only a range such as */*.
	byName bool
}

// negotiate returns the media type for a response: GraphQL's own if the client lists it and does
// not prefer application/json, which is the default.
func negotiate(r *http.Request) accepted {
	var json, graphQL float64
	for entry := range strings.SplitSeq(strings.Join(r.Header["Accept"], ","), ",") {
		name, parameters, _ := strings.Cut(entry, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaJSON:
			json = max(json, quality(parameters))
		case mediaGraphQL:
			graphQL = max(graphQL, quality(parameters))
		}
	}
	if graphQL > 0 && graphQL >= json {
		return accepted{mediaGraphQL, true}
	}
	return accepted{mediaJSON, json > 0}
}

// quality returns the weight q among the parameters of a media type. Default: 1.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}

// status returns the HTTP status of a response. Clients that list application/json read the errors
// of a document from the body alone, so that its status is 200. With GraphQL's media type it is
// 400.
func (a accepted) status(resp *response) int {
	switch {
	case !resp.documentError:
		return resp.status
	case a.media == mediaGraphQL:
		return http.StatusBadRequest
	case a.byName:
		return http.StatusOK
	}
	return resp.status
}
