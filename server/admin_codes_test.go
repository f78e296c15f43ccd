package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/server/admin"
)

// returnedCodes records the error codes that operations of the Admin API have returned to the tests
// of this package, as "operation code".
var returnedCodes sync.Map

// operationsByLength are the operations by the number of the segments of their route.
var operationsByLength = sync.OnceValue(func() map[int][]admin.Operation {
	byLength := map[int][]admin.Operation{}
	for _, o := range admin.Operations() {
		n := strings.Count(o.Route(), "/")
		byLength[n] = append(byLength[n], o)
	}
	return byLength
})

// operationOf returns the ID of the operation that a request is for; "" if there is none.
func operationOf(method, path string) (id string) {
	segments := strings.Split(path, "/")
	most := -1 // segments that are the same, which a router prefers to parameters
	for _, o := range operationsByLength()[len(segments)-1] {
		if o.Method != method && (o.Method != http.MethodGet || method != http.MethodHead) {
			continue
		}
		same, matches := 0, true
		for i, segment := range strings.Split(o.Route(), "/") {
			switch {
			case segment == segments[i]:
				same++
			case !strings.HasPrefix(segment, "{"):
				matches = false
			}
		}
		if matches && same > most {
			id, most = o.ID, same
		}
	}
	return id
}

// recordCode records the code of a response.
func recordCode(r *http.Request, status int, body []byte) {
	if status < 400 || !strings.HasPrefix(r.URL.Path, admin.Prefix) {
		return
	}
	var p struct{ Code, Detail string }
	isElsewhere := json.Unmarshal(body, &p) != nil || strings.HasPrefix(p.Detail, "Nothing exists at this path.") // on this host
	if id := operationOf(r.Method, r.URL.EscapedPath()); id != "" && !isElsewhere {
		returnedCodes.Store(id+" "+p.Code, true)
	}
}

var codeInText = regexp.MustCompile("`(\\w+)`")

// promisedCodes returns the codes of each operation in the document of the Admin API, as in
// returnedCodes.
func promisedCodes() (map[string]bool, error) {
	srv, err := server.New(server.Config{Tenants: &tenantsOf{}, Rate: -1})
	if err != nil {
		return nil, err
	}
	r := httptest.NewRequest(http.MethodGet, "/admin/openapi.json", nil)
	r.RemoteAddr = "127.0.0.1:4000"
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	promised := map[string]bool{}
	for _, operations := range doc.Paths {
		for _, o := range operations {
			for _, response := range o.Responses {
				for _, code := range codeInText.FindAllStringSubmatch(response.Description, -1) {
					promised[o.OperationID+" "+code[1]] = true
				}
			}
		}
	}
	if len(promised) == 0 {
		return nil, fmt.Errorf("the document promises no codes: %.200s", w.Body)
	}
	return promised, nil
}

// isWholeRun reports whether every test of the package has run on the engine that all of them are
// for.
func isWholeRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short() && !dbtest.OnPostgres()
}

// TestMain fails if an operation of the Admin API has returned a code that its document does not
// promise, or, after all tests, if none of them had a code returned that it promises.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // as a server's heap may grow: a fifth less processor time
	status := m.Run()
	dbtest.RemovePrepared()
	promised, err := promisedCodes()
	if err != nil {
		fmt.Println("FAIL:", err)
		os.Exit(1)
	}
	var faults []string
	for key := range returnedCodes.Range {
		if pair := key.(string); !promised[pair] {
			faults = append(faults, "an operation has returned a code that its document does not promise: "+pair)
		}
	}
	if status == 0 && isWholeRun() {
		for pair := range promised {
			if _, ok := returnedCodes.Load(pair); !ok {
				faults = append(faults, "the document promises a code that no test has seen its operation return: "+pair)
			}
		}
	}
	slices.Sort(faults)
	for _, fault := range faults {
		fmt.Println("FAIL:", fault)
		status = 1
	}
	os.Exit(status)
}
