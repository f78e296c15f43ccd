package account_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// signingKey returns the active signing key from the shop's file.
func (a *accounts) signingKey(t *testing.T) (kid string, secret []byte) {
	t.Helper()
	err := a.Store.View(context.Background(), a.Config.ID, func(ctx context.Context, tx *db.Tx) error {
		var name string
		var sealed []byte
		err := tx.QueryRow(`
			SELECT name, sealed
			FROM secrets
			WHERE name LIKE 'signing:%' AND retired_at IS NULL`).Scan(&name, &sealed)
		if err != nil {
			return err
		}
		kid = strings.TrimPrefix(name, "signing:")
		secret, err = a.Config.Sealer.Open(name, sealed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return kid, secret
}

// forgery is a valid token of the shop with the changes of a test.
type forgery struct {
	method jwt.SigningMethod
	header map[string]any
	claims jwt.MapClaims
	key    any
}

func (f forgery) String() string {
	token := jwt.NewWithClaims(f.method, f.claims)
	maps.Copy(token.Header, f.header)
	signed, err := token.SignedString(f.key)
	if err != nil {
		panic(err)
	}
	return signed
}

func TestToken_Claims(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	payload := a.Rahim(t)
	kid, secret := a.signingKey(t)
	claims := jwt.MapClaims{}
	token, err := jwt.ParseWithClaims(payload.AccessToken, claims, func(*jwt.Token) (any, error) { return secret, nil },
		jwt.WithTimeFunc(a.Clock.Now), jwt.WithValidMethods([]string{"HS256"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"alg": "HS256", "typ": "JWT", "kid": kid}, token.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	now := float64(a.Clock.Now().Unix())
	want := jwt.MapClaims{
		"iss": "storefront-api", "aud": "storefront", "sub": payload.User.ID, "tid": "test",
		"iat": now, "auth_time": now, "exp": now + 7*24*3600, "jti": claims["jti"], "ver": 1.0,
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	again, err := a.Login(context.Background(), access.Caller{}, account.LoginInput{User: "01711000000", Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	if again.AccessToken == payload.AccessToken {
		t.Error("two tokens of the same second are equal, want different jti")
	}
}

func TestToken_Attacks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.Rahim(t)
	kid, secret := a.signingKey(t)
	other := &accounts{a.Another(t, "other-shop")}
	otherPayload := other.Rahim(t)
	otherKid, otherSecret := other.signingKey(t)
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&private.PublicKey)})
	now := a.Clock.Now()
	good := func() forgery {
		return forgery{
			method: jwt.SigningMethodHS256, header: map[string]any{"kid": kid}, key: secret,
			claims: jwt.MapClaims{
				"iss": "storefront-api", "aud": "storefront", "sub": payload.User.ID, "tid": "test", "ver": 1,
				"iat": now.Unix(), "auth_time": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": "x",
			},
		}
	}
	if _, err := a.Me(ctx, access.Caller{Bearer: good().String()}); err != nil {
		t.Fatalf("the unchanged token: %v", err)
	}
	listed := good() // as tokens had it at first
	listed.claims["aud"] = []string{"storefront"}
	if _, err := a.Me(ctx, access.Caller{Bearer: listed.String()}); err != nil {
		t.Fatalf("the audience as a list: %v", err)
	}
	parts := strings.Split(payload.AccessToken, ".")
	set := func(name string, value any) func(*forgery) {
		return func(f *forgery) { f.claims[name] = value }
	}
	expire := func(f *forgery) {
		began := now.Add(-time.Hour).Unix()
		f.claims["iat"], f.claims["auth_time"], f.claims["exp"] = began, began, now.Unix()
	}
	drop := func(name string) func(*forgery) {
		return func(f *forgery) { delete(f.claims, name) }
	}
	for _, c := range []struct {
		name   string
		change func(*forgery)
		code   fault.Code // "" means token_invalid
	}{
		{"alg none", func(f *forgery) { f.method, f.key = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType }, ""},
		{"HS384 with the right key", func(f *forgery) { f.method = jwt.SigningMethodHS384 }, ""},
		{"RS256", func(f *forgery) { f.method, f.key = jwt.SigningMethodRS256, private }, ""},
		{"HS256 with a public key", func(f *forgery) { f.key = public }, ""},
		{"empty key", func(f *forgery) { f.key = []byte{} }, ""},
		{"the key's id as the key", func(f *forgery) { f.key = []byte(kid) }, ""},
		{"another shop's key", func(f *forgery) { f.key = otherSecret }, ""},
		{"another shop's key and its id", func(f *forgery) { f.key, f.header["kid"] = otherSecret, otherKid }, ""},
		{"unknown kid", func(f *forgery) { f.header["kid"] = "nope" }, ""},
		{"no kid", func(f *forgery) { delete(f.header, "kid") }, ""},
		{"kid of another type", func(f *forgery) { f.header["kid"] = []string{kid} }, ""},
		{"kid that is a path", func(f *forgery) { f.header["kid"] = "../../dev/null"; f.key = []byte{} }, ""},
		{"another shop's tid", set("tid", "other-shop"), ""},
		{"no tid", drop("tid"), ""},
		{"another issuer", set("iss", "someone"), ""},
		{"no issuer", drop("iss"), ""},
		{"another audience", set("aud", "admin"), ""},
		{"one audience more", set("aud", []string{"storefront", "admin"}), ""},
		{"no audience", drop("aud"), ""},
		{"no subject", drop("sub"), ""},
		{"unknown subject", set("sub", "01JNOBODY"), ""},
		{"no expiry", drop("exp"), ""},
		{"no time of issue", drop("iat"), ""},
		{"no time of the proof", drop("auth_time"), ""},
		{"proved after its issue", set("auth_time", now.Add(time.Second).Unix()), ""},
		{"renewed for longer than allowed", set("auth_time", now.Add(time.Second-90*24*time.Hour).Unix()), ""},
		{"longer than allowed", set("exp", now.Add(account.TokenLifetime+time.Hour).Unix()), ""},
		{"from the future", set("iat", now.Add(time.Minute).Unix()), ""},
		{"not yet valid", set("nbf", now.Add(time.Minute).Unix()), ""},
		{"older version", set("ver", 0), ""},
		{"newer version", set("ver", 2), ""},
		{"no version", drop("ver"), ""},
		{"version of another type", set("ver", "1"), ""},
		{"expired", expire, fault.CodeTokenExpired},
		{"expired and another audience", func(f *forgery) {
			expire(f)
			f.claims["aud"] = "admin"
		}, ""},
		{"expired and another key", func(f *forgery) {
			expire(f)
			f.key = otherSecret
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good()
			c.change(&f)
			if c.code == "" {
				c.code = fault.CodeTokenInvalid
			}
			_, err := a.Me(ctx, access.Caller{Bearer: f.String()})
			shoptest.WantCode(t, err, c.code)
		})
	}
	text := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, token := range map[string]string{
		"another shop's":           otherPayload.AccessToken,
		"claims exchanged":         parts[0] + "." + text(`{"sub":"x"}`) + "." + parts[2],
		"header exchanged":         text(`{"alg":"none"}`) + "." + parts[1] + "." + parts[2],
		"signature gone":           parts[0] + "." + parts[1] + ".",
		"signature cut":            parts[0] + "." + parts[1] + "." + parts[2][:20],
		"padded":                   payload.AccessToken + "=",
		"unused bits set":          payload.AccessToken[:len(payload.AccessToken)-1] + nextLetter(payload.AccessToken),
		"two parts":                parts[0] + "." + parts[1],
		"four parts":               payload.AccessToken + ".x",
		"no token":                 "hunter22",
		"an administrator's":       "sfa_0123456789abcdef",
		"space":                    " ",
		"endless":                  strings.Repeat("a", 1<<20),
		"endless but for its dots": strings.Repeat("a", 1<<19) + "." + strings.Repeat("a", 1<<19) + ".a",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Me(ctx, access.Caller{Bearer: token})
			e := shoptest.WantCode(t, err, fault.CodeTokenInvalid)
			if strings.Contains(e.Error(), token) && token != " " {
				t.Error("the error contains the token")
			}
		})
	}
}

// nextLetter changes bits of a signature's last letter that a lenient decoder ignores.
func nextLetter(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, token[len(token)-1])^1])
}

func TestToken_Lifetime(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	caller := access.Caller{Bearer: a.Rahim(t).AccessToken}
	a.Clock.Advance(account.TokenLifetime - time.Second)
	if _, err := a.Me(ctx, caller); err != nil {
		t.Errorf("last second: %v", err)
	}
	a.Clock.Advance(time.Second)
	_, err := a.Me(ctx, caller)
	shoptest.WantCode(t, err, fault.CodeTokenExpired)
}

func TestToken_Revoked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.Rahim(t)
	caller := access.Caller{Bearer: payload.AccessToken}
	a.Exec(t, `UPDATE customers SET token_version = 2 WHERE id = ?`, payload.User.ID)
	_, err := a.Me(ctx, caller)
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)

	fresh, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: "01711000000", Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Me(ctx, access.Caller{Bearer: fresh.AccessToken}); err != nil {
		t.Errorf("token of the new version: %v", err)
	}
	a.Exec(t, `DELETE FROM customers WHERE id = ?`, payload.User.ID)
	_, err = a.Me(ctx, access.Caller{Bearer: fresh.AccessToken})
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
}

// A retired key is accepted only for tokens issued before it was retired.
func TestToken_RetiredKey(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.Rahim(t)
	kid, secret := a.signingKey(t)
	a.Clock.Advance(time.Hour)
	a.Exec(t, `UPDATE secrets SET retired_at = ? WHERE name = ?`, a.Clock.Now(), "signing:"+kid)
	sealed, err := a.Config.Sealer.Seal("signing:new", []byte("a new secret of thirty-two bytes"))
	if err != nil {
		t.Fatal(err)
	}
	a.Exec(t, `INSERT INTO secrets (name, sealed, created_at) VALUES (?, ?, ?)`, "signing:new", sealed, a.Clock.Now())
	a.Accounts = a.Reopened()

	before := access.Caller{Bearer: payload.AccessToken}
	if _, err := a.Me(ctx, before); err != nil {
		t.Errorf("token issued before the rotation: %v", err)
	}
	fresh, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: "01711000000", Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.RenewToken(ctx, before)
	shoptest.WantCode(t, err, fault.CodeTokenExpired) // somebody else could have signed it
	token, _, err := jwt.NewParser().ParseUnverified(fresh.AccessToken, jwt.MapClaims{})
	if err != nil || token.Header["kid"] != "new" {
		t.Errorf("got key %v (error %v), want the new one", token.Header["kid"], err)
	}
	a.Clock.Advance(time.Hour)
	forged := forgery{
		method: jwt.SigningMethodHS256, header: map[string]any{"kid": kid}, key: secret,
		claims: jwt.MapClaims{
			"iss": "storefront-api", "aud": "storefront", "sub": payload.User.ID, "tid": "test", "ver": 1,
			"iat": a.Clock.Now().Unix(), "auth_time": a.Clock.Now().Unix(), "exp": a.Clock.Now().Add(time.Hour).Unix(),
		},
	}
	_, err = a.Me(ctx, access.Caller{Bearer: forged.String()})
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)

	a.Clock.Advance(account.TokenLifetime - 2*time.Hour)
	_, err = a.Me(ctx, before)
	shoptest.WantCode(t, err, fault.CodeTokenExpired)
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.Rahim(t)
	karim, err := a.Register(ctx, access.Caller{}, shoptest.RegisterInput("Karim", "", "01811000000"))
	if err != nil {
		t.Fatal(err)
	}
	a.Exec(t, `UPDATE customers SET token_version = 2 WHERE id = ?`, karim.User.ID)
	expired, err := shopAt(a, a.Clock.Now().Add(-account.TokenLifetime)).Accounts.Login(ctx,
		access.Caller{}, account.LoginInput{User: "01711000000", Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	const id, guest = "rahim", ""
	for _, c := range []struct {
		name                        string
		caller                      access.Caller
		required, optional, lenient any // an account, or an error code
	}{
		{"nobody", access.Caller{}, fault.CodeUnauthenticated, guest, guest},
		{"good", access.Caller{Bearer: payload.AccessToken}, id, id, id},
		{"no Bearer", access.Caller{BadAuthorization: true}, fault.CodeTokenInvalid, fault.CodeTokenInvalid, guest},
		{"nonsense", access.Caller{Bearer: "x"}, fault.CodeTokenInvalid, fault.CodeTokenInvalid, guest},
		{"expired", access.Caller{Bearer: expired.AccessToken}, fault.CodeTokenExpired, fault.CodeTokenExpired, guest},
		{"revoked", access.Caller{Bearer: karim.AccessToken}, fault.CodeTokenInvalid, fault.CodeTokenInvalid, guest},
	} {
		for way, want := range map[string]any{"required": c.required, "optional": c.optional, "known": c.lenient} {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				authentication := map[string]account.Authentication{
					"required": account.RequireIdentity, "optional": account.OptionalIdentity, "known": account.LenientIdentity,
				}[way]
				got, err := authentication.Of(ctx, a.Shop.Accounts, c.caller)
				if code, refused := want.(fault.Code); refused {
					shoptest.WantCode(t, err, code)
					return
				}
				if want == id {
					want = payload.User.ID
				}
				if err != nil || got != want {
					t.Errorf("got %q, %v; want %q", got, err, want)
				}
			})
		}
	}
	t.Run("internal error is not a guest", func(t *testing.T) {
		cfg := a.Config
		cfg.Sealer = shoptest.Sealer("somebody else's key")
		_, err := account.LenientIdentity.Of(ctx, shop.New(cfg).Accounts, access.Caller{Bearer: payload.AccessToken})
		if e := shop.AsError(err); err == nil || e.Code != fault.CodeUnavailable {
			t.Errorf("got %v", err)
		}
	})
}

// shopAt returns the same shop at another time.
func shopAt(a *accounts, at time.Time) *shop.Shop {
	cfg := a.Config
	cfg.Now = func() time.Time { return at }
	return shop.New(cfg)
}
