package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// graphQLResponse is the part of a GraphQL response that these tests check.
type graphQLResponse struct {
	Data   map[string]any
	Errors []struct {
		Message    string
		Extensions struct {
			Code, RequestID string
			Status          int
		}
	}
}

func TestGraphQL_TenantRules(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for uid, want := range map[string]struct {
		status int
		code   fault.Code
	}{
		"":       {400, fault.CodeTenantRequired},
		"nobody": {404, fault.CodeTenantNotFound},
		"closed": {403, fault.CodeTenantSuspended},
		"broken": {500, fault.CodeInternal},
	} {
		got := s.send("POST", "/graphql", `{"query":"{apiVersion}"}`, "x-tenant", uid)
		var response graphQLResponse
		got.ok(want.status, &response)
		if len(response.Errors) != 1 {
			t.Fatalf("tenant %q: %s", uid, got.body)
		}
		if e := response.Errors[0].Extensions; e.Code != string(want.code) || e.Status != want.status || e.RequestID != got.header.Get("X-Request-Id") {
			t.Errorf("tenant %q: got %+v, want code %s and status %d", uid, e, want.code, want.status)
		}
	}
	var response graphQLResponse
	s.send("POST", "/graphql", `{"query":"{apiVersion storeFront{uid}}"}`, "Authorization", "Bearer nonsense").ok(200, &response)
	if response.Data["apiVersion"] != server.APIVersion || len(response.Errors) > 0 {
		t.Errorf("got %+v, want the API version and no errors", response)
	}
}

// Tools query the schema without a shop; everything else needs one.
func TestGraphQL_IntrospectionWithoutShop(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	post := func(query string) *reply {
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		return s.send("POST", "/graphql", string(body), "x-tenant", "")
	}
	var response struct {
		Data struct {
			Schema struct{ Types []struct{ Name string } } `json:"__schema"`
			Type   struct{ SpecifiedByURL string }         `json:"__type"`
		}
	}
	post(`{__schema{types{name}} __type(name: "Time"){specifiedByURL}}`).ok(200, &response)
	if len(response.Data.Schema.Types) < 50 || response.Data.Type.SpecifiedByURL != "https://www.rfc-editor.org/rfc/rfc3339#section-5.6" {
		t.Errorf("got %+v, want all types and the specification of Time", response.Data)
	}
	deep := "{__schema{types{fields{type" + strings.Repeat("{ofType", 8) + "{name}" + strings.Repeat("}", 8) + "}}}}"
	post(deep).ok(200, &response)
	for _, query := range []string{
		`{__typename}`, `{apiVersion}`, `{storeFront{uid} __schema{queryType{name}}}`, `{x: __schema{queryType{name}} me{_id}}`,
		`{products{meta{totalCount}} __type(name: "Time"){name}}`, `{plugin__webhookUrls{url} __schema{queryType{name}}}`,
		`{plugins{mode} __schema{queryType{name}}}`, `mutation{logout{success} __typename __schema: __typename}`, "{myOrders{meta{totalCount}}} #__schema",
	} {
		if got := post(query); got.status != 400 || !strings.Contains(string(got.body), `"tenant_required"`) {
			t.Errorf("%s: got %d %s, want 400 tenant_required", query, got.status, got.body)
		}
	}
}

func TestGraphQL_HideIntrospection(t *testing.T) {
	t.Parallel()
	const query = `{"query":"{__schema{queryType{name}}}"}`
	for _, hidden := range []bool{false, true} {
		s := newSite(t, func(cfg *server.Config) { cfg.HideIntrospection = hidden })
		if got := s.send("POST", "/graphql", query); strings.Contains(string(got.body), `"Query"`) == hidden {
			t.Errorf("hidden %t: %s", hidden, got.body)
		}
	}
}

func TestGraphQL_Caller(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	token := s.signUp("01711-000009")
	var response graphQLResponse
	s.send("POST", "/graphql", `{"query":"{me{phoneNumber}}"}`, "Authorization", "Bearer "+token).ok(200, &response)
	me, _ := response.Data["me"].(map[string]any)
	if me["phoneNumber"] != "+8801711000009" {
		t.Errorf("got %+v, want the phone +8801711000009", response)
	}
}

func TestGraphQL_Routes(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := s.get("/graphql", "x-tenant", "", "Accept", "text/html")
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %d with %s, want 200 with text/html", page.status, page.header.Get("Content-Type"))
	}
	_, rest, ok := strings.Cut(string(page.body), `src="`)
	script, _, _ := strings.Cut(rest, `"`)
	if got := s.get(script, "x-tenant", ""); !ok || got.status != 200 {
		t.Errorf("script %q: got %d", script, got.status)
	}
	got := s.send("OPTIONS", "/graphql", "", "x-tenant", "", "Origin", "https://shop.example", "Access-Control-Request-Method", "POST")
	if got.status != 204 || got.header.Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("%d, methods %q", got.status, got.header.Get("Access-Control-Allow-Methods"))
	}
	s.send("PUT", "/graphql", "").problem(405, fault.CodeMethodNotAllowed)
}

// Both transports share one cache, and neither serves the other's responses.
func TestGraphQL_CacheApartFromREST(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.get("/api/v1/tenant").ok(200, new(any))
	for _, body := range []string{"/api/v1/tenant", "/api/v1/tenant?", "?"} {
		if got := s.send("POST", "/graphql", body); got.status != 400 {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
	}
}

// Two shops at the same content version get the same request.
func TestGraphQL_CachePerShop(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		cfg.Tenants.(*tenantsOf).shops["other"] = shoptest.New(t, &shoptest.Options{UID: "other"})
	})
	for _, uid := range []string{"test", "other", "test", "other"} {
		got := s.send("POST", "/graphql", `{"query":"{storeFront{uid}}"}`, "x-tenant", uid)
		if want := `{"data":{"storeFront":{"uid":"` + uid + `"}}}` + "\n"; string(got.body) != want {
			t.Errorf("%s: got %s", uid, got.body)
		}
	}
}

func TestGraphQL_RateLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		cfg.Rate, cfg.Burst, cfg.Now = 1, 1, shoptest.NewClock().Now
	})
	const body = `{"query":"{apiVersion}"}`
	for range 3 { // prepared by the first
		s.send("POST", "/graphql", body).ok(200, new(any))
	}
	got := s.send("POST", "/graphql", `{"query":"{me{name}}"}`)
	var response graphQLResponse
	got.ok(429, &response)
	if response.Errors[0].Extensions.Code != string(fault.CodeRateLimited) || got.header.Get("Retry-After") != "1" {
		t.Errorf("%s with Retry-After %q", got.body, got.header.Get("Retry-After"))
	}
}
