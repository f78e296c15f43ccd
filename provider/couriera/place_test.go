package couriera_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/provider"
	"storefront/provider/couriera"
	"storefront/shop/plugin"
)

// state stores nothing.
type state struct{}

func (state) Load(context.Context) ([]byte, error) { return nil, nil }

func (state) Save(context.Context, []byte) error { return nil }

// newPlugin returns the adapter with a courier that responds to each path and query with an answer,
// or with 404.
func newPlugin(t *testing.T, answers map[string]string) (plugin.Plugin, plugin.Access) {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.RequestURI()]
		if r.URL.Path == "/aladdin/api/v1/issue-token" {
			answer, ok = `{"access_token":"A","refresh_token":"R","expires_in":432000}`, true
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"type":"error","code":404,"message":"Not found"}`
		}
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(host.Close)
	adapter := couriera.New(couriera.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL})
	return adapter, plugin.Access{Mode: plugin.Live, State: state{}, Settings: plugin.Settings{"store_id": "3", "client_id": "c"}}
}

const api = "/aladdin/api/v1"

// The lists of the courier's documents are read, over several pages, and from the path that
// answers.
func TestListPlaces(t *testing.T) {
	t.Parallel()
	adapter, access := newPlugin(t, map[string]string{
		api + "/city-list": `{"message":"City successfully fetched.","type":"success","code":200,"data":{"data":[
			{"city_id":1,"city_name":"Dhaka"},{"city_id":"2","city_name":"Chittagong"}]}}`,
		api + "/cities/1/zone-list": `{"type":"success","code":200,"data":{"data":[{"zone_id":298,"zone_name":"60 feet"}]}}`,
		api + "/zones/298/area-list": `{"type":"success","code":200,"data":{"data":[
			{"area_id":37,"area_name":"Bonolota","home_delivery_available":true,"pickup_available":true},
			{"area_id":3,"area_name":"Road 03","home_delivery_available":false,"pickup_available":true},
			{"area_id":"x","area_name":"No number"}]}}`,
		api + "/stores": `{"type":"success","code":200,"data":{"current_page":1,"last_page":2,"data":[
			{"store_id":1,"store_name":"Demo","store_address":"Banani, Dhaka","is_active":1}]}}`,
		api + "/stores?page=2": `{"type":"success","code":200,"data":{"current_page":2,"last_page":2,"data":[
			{"store_id":3,"store_name":"New","store_address":"","is_active":0}]}}`,
	})
	for kind, test := range map[plugin.PlaceKind]struct {
		of   int64
		want []plugin.NamedPlace
	}{
		plugin.PlaceCity: {0, []plugin.NamedPlace{{ID: 1, Name: "Dhaka", Active: true}, {ID: 2, Name: "Chittagong", Active: true}}},
		plugin.PlaceZone: {1, []plugin.NamedPlace{{ID: 298, Name: "60 feet", Active: true}}},
		plugin.PlaceArea: {298, []plugin.NamedPlace{
			{ID: 37, Name: "Bonolota", Active: true}, {ID: 3, Name: "Road 03"}, {Name: "No number", Active: true},
		}},
		plugin.PlaceStore: {0, []plugin.NamedPlace{{ID: 1, Name: "Demo", In: "Banani, Dhaka", Active: true}, {ID: 3, Name: "New"}}},
	} {
		got, err := adapter.Places.ListPlaces(t.Context(), access, kind, test.of)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: got error %v and (-want +got):\n%s", kind, err, diff)
		}
	}
	if _, err := adapter.Places.ListPlaces(t.Context(), access, plugin.PlaceStation, 0); err == nil {
		t.Error("got police stations, want an error")
	}
	// A store on the second page is checked too.
	if err := adapter.Checker.Check(t.Context(), access); err == nil || !strings.Contains(err.Error(), "the store is not active") {
		t.Errorf("got %v, want that the store is not active", err)
	}
}
