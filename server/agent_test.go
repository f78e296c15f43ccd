package server_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"storefront/shop/fault"
	"storefront/shop/staff"
)

// withKey adds an API key to requests.
type withKey struct {
	key string
	to  http.RoundTripper
}

func (w withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", w.key)
	return w.to.RoundTrip(r)
}

// agent is connected to the MCP server of the shop, by the official client.
func (s *adminSite) agent(t *testing.T, key, query string) *mcp.ClientSession {
	t.Helper()
	web := &http.Client{Transport: withKey{key, http.DefaultTransport}}
	transport := &mcp.StreamableClientTransport{
		Endpoint: s.url + "/admin/v1/shops/test/mcp" + query, HTTPClient: web, DisableStandaloneSSE: true,
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func toolNames(t *testing.T, session *mcp.ClientSession) (names []string) {
	t.Helper()
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// An agent has the tools that its key and its address permit. They change something only if the
// address has changes. Each call is in the audit log.
func TestAgent_Tools(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "orders.read", "orders.write")
	reader := s.agent(t, key, "")
	names := toolNames(t, reader)
	for name, want := range map[string]bool{
		"listOrders": true, "getOrder": true, "confirmOrder": false, "listProducts": false, "createKey": false, "exportOrders": false, "signIn": false,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s: got %t, want %t, in %v", name, !want, want, names)
		}
	}
	text, failed := callTool(t, reader, "listOrders", map[string]any{"limit": 1, "status": []string{"pending", "confirmed"}})
	want := string(s.get("/admin/v1/shops/test/orders?limit=1&status=pending&status=confirmed", "Authorization", key).body)
	if failed || text != want {
		t.Errorf("got %t %s, want %s", failed, text, want)
	}
	for _, bad := range []map[string]any{{"orderId": "none"}, {}, {"orderId": "a/b"}, {"orderId": "0123456789ABCDEF", "other": 1}} {
		if text, failed := callTool(t, reader, "getOrder", bad); !failed {
			t.Errorf("%v: got %s, want an error", bad, text)
		}
	}
	confirm := &mcp.CallToolParams{Name: "confirmOrder", Arguments: map[string]any{"orderId": "0123456789ABCDEF"}}
	if _, err := reader.CallTool(t.Context(), confirm); err == nil {
		t.Error("got a change without changes=true")
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'agent.read' AND via = 'mcp' AND subject_id = 'listOrders'`); n != 1 {
		t.Errorf("got %d entries, want one of the call", n)
	}

	writer := s.agent(t, s.key(t, "orders.read", "orders.write"), "?changes=true&tags=orders")
	if text, failed := callTool(t, writer, "addNote", map[string]any{
		"orderId": "0123456789ABCDEF", "body": map[string]any{"text": "Call in the evening."},
	}); failed {
		t.Errorf("got %s", text)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE via = 'mcp' AND actor_kind = 'key' AND action LIKE 'order%'`); n != 1 {
		t.Errorf("got %d entries, want one of the change", n)
	}
}

// Without a key of this shop there is no agent, and a session of a person is no key.
func TestAgent_Refused(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const path = "/admin/v1/shops/test/mcp"
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	owner := "sf_admin=" + s.shop.Member(t, staff.RoleOwner, "owner@example.com").Session
	s.send("POST", path, message, "Cookie", owner).problem(401, fault.CodeUnauthenticated)
	s.send("POST", path, message, "Authorization", "Bearer sfa_wrong").problem(401, fault.CodeUnauthenticated)
	s.send("POST", "/admin/v1/shops/other/mcp", message, "x-tenant", "other", "Authorization", s.key(t)).problem(401, fault.CodeUnauthenticated)
	s.send("POST", path+"?tags=Orders,Ordres", message, "Authorization", s.key(t)).problem(422, fault.CodeValidationFailed)
	s.get(path, "Authorization", s.key(t)).problem(405, fault.CodeMethodNotAllowed)
}
