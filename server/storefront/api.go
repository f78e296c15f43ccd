package storefront

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// apiPath is the path of the API.
const apiPath = "/api/v1"

// apiClient requests the public data of one shop from the API for one address of the page. It
// stores the responses by URL, in the form of the page's own client, to be sent with the page.
type apiClient struct {
	api       http.Handler
	tenant    string
	page      *http.Request
	responses map[string]json.RawMessage
}

// get requests an URL below apiPath, decodes the response into out, which may be nil, and returns
// the status: 0 without an API.
func (c *apiClient) get(url string, out any) int {
	if c.api == nil {
		return 0
	}
	r, err := http.NewRequestWithContext(c.page.Context(), http.MethodGet, apiPath+url, nil)
	if err != nil {
		return http.StatusBadRequest
	}
	// The page's client is the API's, for its limits.
	r.RemoteAddr, r.Host = c.page.RemoteAddr, c.page.Host
	for _, name := range []string{"X-Forwarded-For", "X-Request-Id"} {
		r.Header[name] = c.page.Header[name]
	}
	r.Header.Set("X-Tenant", c.tenant)
	r.Header.Set("Accept", "application/json")
	response := &recorder{header: http.Header{}}
	c.api.ServeHTTP(response, r)
	if response.status == http.StatusOK && (out == nil || json.Unmarshal(response.body.Bytes(), out) == nil) {
		c.responses[apiPath+url] = response.body.Bytes()
	}
	return response.status
}

// recorder is a response in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}
