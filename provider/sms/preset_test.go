package sms_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"storefront/provider/sms"
)

// recorded is a response from the gateway's documentation or its users.
type recorded struct {
	status int
	body   string
	want   string // outcome
	detail string // message ID, or the reason in the error
}

// presetTest describes what a preset sends and how it interprets responses.
type presetTest struct {
	params  map[string]string
	url     string
	path    string
	auth    string
	sent    map[string]string // parameters of the form or members of the JSON
	answers map[string]recorded
}

const banglaText = "আপনার কোড \"৪৮২১\" & বাকি"

var presetTests = map[string]presetTest{
	"bulksmsbd": {
		params: map[string]string{"apiKey": "k3y&=", "sender": "Shop"},
		url:    "https://bulksmsbd.net/api/smsapi", path: "/api/smsapi",
		sent: map[string]string{"api_key": "k3y&=", "type": "text", "number": "8801711000000", "senderid": "Shop", "message": banglaText},
		answers: map[string]recorded{
			"accepted": {
				200, `{"response_code":202,"message_id":59432678,"success_message":"SMS Submitted Successfully","error_message":""}`, "sent", "59432678",
			},
			"no credit": {
				200, `{"response_code":1007,"success_message":"","error_message":"Balance Insufficient"}`, "refused", "1007: Balance Insufficient",
			},
			"wrong number":  {200, `{"response_code":1001,"success_message":"","error_message":"Invalid Number!"}`, "refused", "1001: Invalid Number!"},
			"IP not listed": {200, `{"response_code":1032,"error_message":"IP Not Whitelisted"}`, "refused", "1032: IP Not Whitelisted"},
			"out of order":  {502, `<html>Bad Gateway</html>`, "unknown", "status 502"},
		},
	},
	"sslwireless": {
		params: map[string]string{"apiToken": "t0k\"en", "sender": "SHOPSID"},
		url:    "https://smsplus.sslwireless.com/api/v3/send-sms", path: "/api/v3/send-sms",
		sent: map[string]string{"api_token": "t0k\"en", "sid": "SHOPSID", "msisdn": "8801711000000", "sms": banglaText, "csms_id": "*"},
		answers: map[string]recorded{
			"accepted": {
				200,
				`{"status":"SUCCESS","status_code":200,"error_message":"",` +
					`"smsinfo":[{"sms_status":"SUCCESS","msisdn":"8801711000000","csms_id":"A","reference_id":"5da2f0b5"}]}`,
				"sent", "5da2f0b5",
			},
			"accepted, older code": {200, `{"status":"SUCCESS","status_code":1000,"smsinfo":[{"reference_id":"5da2f0b6"}]}`, "sent", "5da2f0b6"},
			"refused": {
				200, `{"status":"FAILED","status_code":4001,"error_message":"Unauthorized IP","smsinfo":[]}`, "refused", "4001: Unauthorized IP",
			},
			"refused, quoting the request": {
				200, `{"status":"FAILED","status_code":4022,"error_message":"bad t0k\"en for 8801711000000"}`, "refused",
				"4022: bad [hidden] for [hidden]",
			},
			"accepted batch, refused message": {
				200,
				`{"status":"SUCCESS","status_code":200,"error_message":"",` +
					`"smsinfo":[{"sms_status":"FAILED","status_message":"Invalid MSISDN","msisdn":"8801711000000","csms_id":"A"}]}`,
				"refused", "200: Invalid MSISDN",
			},
			"refused under 500": {500, `{"status":"FAILED","status_code":4003,"error_message":"x"}`, "refused", "4003: x"},
			"HTML page":         {200, `<!doctype html><title>Maintenance</title>`, "unknown", "status 200"},
		},
	},
	"mimsms": {
		params: map[string]string{"username": "me@example.com", "apiKey": "K3Y", "sender": "8809601000000"},
		url:    "https://api.mimsms.com/api/SmsSending/SMS", path: "/api/SmsSending/SMS",
		sent: map[string]string{
			"UserName": "me@example.com", "Apikey": "K3Y", "MobileNumber": "8801711000000", "CampaignId": "null",
			"SenderName": "8809601000000", "TransactionType": "T", "Message": banglaText,
		},
		answers: map[string]recorded{
			"accepted": {
				200, `{"statusCode":"200","status":"Success","trxnId":"2KWXVQ","responseResult":"SMS Send Successfuly"}`, "sent", "2KWXVQ",
			},
			"refused under 200": {
				200, `{"statusCode":"206","status":"Failed","trxnId":"","responseResult":"Invalid Sender"}`, "refused", "206: Invalid Sender",
			},
			"refused, HTTP code": {
				200, `{"statusCode":"200","status":"Failed","responseResult":"Insufficient balance"}`, "refused", "200: Insufficient balance",
			},
			"unknown key": {
				401, `{"statusCode":"401","status":"Failed","responseResult":"K3Y is no key of me@example.com"}`, "refused",
				"401: [hidden] is no key of [hidden]",
			},
		},
	},
	"alphasms": {
		params: map[string]string{"apiKey": "K3Y", "sender": "Shop"},
		url:    "https://api.sms.net.bd/sendsms", path: "/sendsms",
		sent: map[string]string{"api_key": "K3Y", "msg": banglaText, "to": "8801711000000", "sender_id": "Shop"},
		answers: map[string]recorded{
			"accepted":  {200, `{"error":0,"msg":"Request successfully submitted","data":{"request_id":10482}}`, "sent", "10482"},
			"no credit": {200, `{"error":417,"msg":"Insufficient balance."}`, "refused", "417: Insufficient balance."},
			"no key":    {200, `{"error":405,"msg":"Authorization required. K3Y"}`, "refused", "405: Authorization required. [hidden]"},
			"no number": {200, `{"error":416,"msg":"No valid number found."}`, "refused", "416: No valid number found."},
		},
	},
	"twilio": {
		params: map[string]string{"accountSid": "AC0123", "authToken": "t0ken", "sender": "+15005550006"},
		url:    "https://api.twilio.com/2010-04-01/Accounts/{secret.accountSid}/Messages.json", path: "/2010-04-01/Accounts/AC0123/Messages.json",
		auth: "AC0123:t0ken",
		sent: map[string]string{"To": "+8801711000000", "From": "+15005550006", "Body": banglaText},
		answers: map[string]recorded{
			"accepted": {201, `{"sid":"SM9f","status":"queued","error_code":null,"error_message":null}`, "sent", "SM9f"},
			"wrong number": {
				400, `{"code":21211,"message":"The 'To' number +8801711000000 is not a valid phone number.","more_info":"","status":400}`, "refused",
				"21211: The 'To' number +[hidden] is not a valid phone number.",
			},
			"wrong token":  {401, `{"code":20003,"message":"Authenticate","status":401}`, "refused", "20003: Authenticate"},
			"rate limit":   {429, `{"code":20429,"message":"Too Many Requests","status":429}`, "refused", "20429: Too Many Requests"},
			"out of order": {503, `{"code":20503,"message":"Service unavailable"}`, "unknown", "20503: Service unavailable"},
		},
	},
	"twilio-service": {
		params: map[string]string{"accountSid": "AC0123", "authToken": "t0ken", "sender": "MG77"},
		url:    "https://api.twilio.com/2010-04-01/Accounts/{secret.accountSid}/Messages.json", path: "/2010-04-01/Accounts/AC0123/Messages.json",
		auth:    "AC0123:t0ken",
		sent:    map[string]string{"To": "+8801711000000", "MessagingServiceSid": "MG77", "Body": banglaText},
		answers: map[string]recorded{"accepted": {201, `{"sid":"SM9f","status":"accepted"}`, "sent", "SM9f"}},
	},
}

func TestPresets(t *testing.T) {
	t.Parallel()
	for name, test := range presetTests {
		for label, recorded := range test.answers {
			t.Run(name+"/"+label, func(t *testing.T) {
				t.Parallel()
				g := newGateway(t, respond(recorded.status, recorded.body))
				cfg := mustPreset(t, name, test.params)
				if cfg.URL != test.url {
					t.Errorf("got URL %s, want %s", cfg.URL, test.url)
				}
				cfg.URL, cfg.AllowHTTP = g.URL+strings.TrimPrefix(cfg.URL, hostOf(cfg.URL)), true
				id, err := newSender(t, cfg).Send(t.Context(), phone, banglaText)
				if got := outcome(err); got != recorded.want {
					t.Fatalf("got %s (%v), want %s", got, err, recorded.want)
				}
				if err == nil && id != recorded.detail {
					t.Errorf("got message ID %q, want %q", id, recorded.detail)
				}
				if err != nil && !strings.HasSuffix(err.Error(), recorded.detail) {
					t.Errorf("got error %v, want …%s", err, recorded.detail)
				}
				checkSent(t, g.onlyRequest(t), test)
			})
		}
	}
}

func mustPreset(t *testing.T, name string, params map[string]string) sms.Config {
	t.Helper()
	cfg, err := sms.Preset(name, params)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// hostOf returns the scheme and host of a URL.
func hostOf(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	return "https://" + host
}

func checkSent(t *testing.T, r request, test presetTest) {
	t.Helper()
	sent := make(map[string]string)
	if r.Header.Get("Content-Type") == "application/json" {
		if err := json.Unmarshal([]byte(r.body), &sent); err != nil {
			t.Fatal(err)
		}
	} else {
		values, err := url.ParseQuery(r.body)
		if err != nil {
			t.Fatal(err)
		}
		for name := range values {
			sent[name] = values.Get(name)
		}
	}
	if test.sent["csms_id"] == "*" && len(sent["csms_id"]) == 20 {
		sent["csms_id"] = "*"
	}
	if !reflect.DeepEqual(sent, test.sent) {
		t.Errorf("got parameters %q, want %q", sent, test.sent)
	}
	user, password, _ := r.BasicAuth()
	if auth := strings.Trim(user+":"+password, ":"); r.Method != http.MethodPost || r.URL.Path != test.path || auth != test.auth {
		t.Errorf("got %s %s as %q, want POST %s as %q", r.Method, r.URL.Path, auth, test.path, test.auth)
	}
}

func TestPresets_Complete(t *testing.T) {
	t.Parallel()
	presets, err := sms.Presets()
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range presets {
		if _, ok := presetTests[preset.Name]; !ok {
			t.Errorf("%s: no test", preset.Name)
		}
		for _, param := range preset.Params {
			if param.Meaning == "" {
				t.Errorf("%s: parameter %s has no meaning", preset.Name, param.Name)
			}
		}
	}
	if len(presets) != len(presetTests) {
		t.Errorf("got %d presets, %d tests", len(presets), len(presetTests))
	}
}

func TestPreset_Params(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name   string
		params map[string]string
		fields []string
	}{
		"unknown gateway":            {"carrier-pigeon", nil, []string{"preset"}},
		"no parameters":              {"mimsms", nil, []string{"username", "apiKey", "sender"}},
		"missing parameter":          {"twilio", map[string]string{"accountSid": "AC", "sender": "x"}, []string{"authToken"}},
		"unknown parameter":          {"bulksmsbd", map[string]string{"apiKey": "k", "sender": "x", "user": "me"}, []string{"user"}},
		"missing optional parameter": {"alphasms", map[string]string{"apiKey": "k"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := sms.Preset(test.name, test.params)
			faults, _ := errors.AsType[sms.Faults](err)
			var fields []string
			for _, fault := range faults {
				fields = append(fields, fault.Field)
			}
			if !reflect.DeepEqual(fields, test.fields) {
				t.Errorf("got faults of %q, want %q", fields, test.fields)
			}
			if err == nil && cfg.Validate() != nil {
				t.Error(cfg.Validate())
			}
		})
	}
}
