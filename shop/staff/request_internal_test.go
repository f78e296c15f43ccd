package staff

import "testing"

// A response that was stored for a caller with costs.read shows no costs to one without.
func TestWithoutCosts(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"_id":"p1","price":9007199254740993}`:                     `{"_id":"p1","price":9007199254740993}`,
		`{"title":"at cost","variants":[{"cost":{"amount":5000}}]}`: `{"title":"at cost","variants":[{"cost":null}]}`,
		`{"margin":12,"n":9007199254740993}`:                        `{"margin":null,"n":9007199254740993}`,
	} {
		got, err := withoutCosts([]byte(body))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", body, got, err, want)
		}
	}
}
