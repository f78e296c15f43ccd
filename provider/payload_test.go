package provider_test

import (
	"testing"

	"storefront/provider"
	"storefront/shop/money"
)

// Providers send amounts with a byte order mark, as binary fractions, or far beyond any real
// amount.
func TestReadPayload_Amounts(t *testing.T) {
	t.Parallel()
	taka := money.Currency{Code: "BDT", Digits: 2}
	tests := map[string]struct {
		value string
		want  int64 // -1: none
	}{
		"whole":             {`970`, 970_00},
		"text":              {`"1,250.50"`, 1250_50},
		"long decimals":     {`82.30000000000001`, 82_30},
		"rounded up":        {`59.999999999`, 60_00},
		"half":              {`"0.005"`, 1},
		"negative":          {`-5`, -1},
		"exponent":          {`1e9`, -1},
		"largest":           {`90071992547409.91`, money.MaxAmount},
		"beyond it":         {`90071992547409.92`, -1},
		"rounded beyond it": {`90071992547409.919`, -1},
		"absurd":            {`99999999999999999999999999999999999999999999999999`, -1},
		"two points":        {`"1.2.3"`, -1},
		"empty":             {`""`, -1},
	}
	for name, tt := range tests {
		p, err := provider.ReadPayload([]byte("\xEF\xBB\xBF" + `{"amount":` + tt.value + `}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := int64(-1)
		if amount := p.Amount("amount", taka); amount != nil {
			got = *amount
		}
		if got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"message":"Please fix the given errors","errors":{"recipient_phone":["Too short.","Not a number."]}}`: "Please fix the given errors " +
			"recipient_phone: Too short. Not a number.",
		`{"status":400,"errors":"The invoice has already been taken."}`: "The invoice has already been taken.",
		`{"errors":["No balance.","Try later."]}`:                       "No balance. Try later.",
		"\xEF\xBB\xBF" + `{"msg":"Area not covered"}`:                   "Area not covered",
		`{"error":{"code":7,"message":"Blocked"}}`:                      "message: Blocked",
		`{"data":{"errors":{"a":"b"}}}`:                                 "a: b",
		`[1]`:                                                           "",
		`nonsense`:                                                      "",
	} {
		if got := provider.ErrorText([]byte(body)); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
