package password

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/fault"
)

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	owner := Owner{
		Name: "Rahim Uddin Chowdhury", Email: "rahim.chowdhury@example.com",
		Phone: "+8801711223344", Country: "BD", Shop: "Shobuj Bazar 24",
	}
	for _, c := range []struct{ name, password, reason string }{ // reason "": accepted
		{"fine", "kolapata-7-nodi", ""},
		{"shortest", "xk4!pq2z", ""},
		{"longest", strings.Repeat("নদী ", 64), ""},
		{"no composition rule", "shobuj pata brishti", ""},
		{"contains the name", "rahim likes rain", ""},
		{"another's phone", "01911223344", ""},
		{"contains the shop's name", "shobuj bazar is near", ""},

		{"missing", "", "at least 8"},
		{"seven characters", "xk4!pq2", "too short"},
		{"seven Bangla characters of many bytes", "আমারদেশ"[:len("আমারদেশ")-len("শ")], "too short"},
		{"too long", strings.Repeat("x", 257), "too long"},
		{"far too long", strings.Repeat("x", 1<<20), "too long"},
		{"common", "password", "common"},
		{"common in capitals", "PassWord123", "common"},
		{"common in full width", "ｐａｓｓｗｏｒｄ", "common"},
		{"common here", "bangladesh", "common"},
		{"name", "Rahim Uddin Chowdhury", "name"},
		{"name in other spelling", "rahim-uddin-CHOWDHURY", "name"},
		{"last name", "chowdhury", "name"},
		{"email", "Rahim.Chowdhury@Example.com", "e-mail"},
		{"local part", "rahim.chowdhury", "e-mail"},
		{"phone", "+8801711223344", "phone"},
		{"phone as dialled", "01711-223344", "phone"},
		{"phone without zero", "1711223344", "phone"},
		{"shop", "shobujbazar24", "shop"},
		{"shop twice", "Shobuj Bazar shobuj bazar", "shop"},
		{"shop twice and digits", "shobujbazarshobujbazar1", "shop"},
		{"last name twice", "ChowdhuryChowdhury", "name"},
		{"short name repeated", "rahimrahim", "name"},
		{"local part twice", "rahim.chowdhuryrahim.chowdhury", "e-mail"},
		{"shop and digits", "Shobuj-Bazar2026", "shop"},
		{"phone in Bangla digits", "০১৭১১২২৩৩৪৪", "phone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var bad fault.Invalid
			Check(&bad, "newPassword", c.password, owner)
			if c.reason == "" {
				if bad != nil {
					t.Fatalf("refused: %v", bad)
				}
				return
			}
			if len(bad) != 1 || bad[0].Field != "newPassword" || !strings.Contains(bad[0].Message, c.reason) {
				t.Fatalf("got %v, want one refusal that names %q", bad, c.reason)
			}
			if c.password != "" && c.password != "password" && strings.Contains(bad[0].Message, c.password) {
				t.Errorf("the message repeats the password: %s", bad[0].Message)
			}
		})
	}
}

// The list from leaks has 3,000 passwords and more, with its source, and no other rule rejects what
// is in the lists.
func TestCommonPasswords_Lists(t *testing.T) {
	t.Parallel()
	common := commonPasswords()
	if n := strings.Count(leakedPasswordText, "\n"); n < 3000 {
		t.Errorf("got %d passwords from leaks, want at least 3000", n)
	}
	script, err := os.ReadFile("update.sh")
	if err != nil {
		t.Fatal(err)
	}
	source, _, _ := strings.Cut(string(script), "@4")
	if source = source[strings.LastIndex(source, " ")+1:]; !strings.HasPrefix(source, "@") || !strings.Contains(leakedPasswordText[:400], source) {
		t.Errorf("the list's source must be the package of update.sh, %q", source)
	}
	for password := range common {
		var bad fault.Invalid
		Check(&bad, "password", password, Owner{})
		if len(bad) != 1 || !strings.Contains(bad[0].Message, "common") {
			t.Errorf("%q: got %v, want it rejected as common", password, bad)
		}
	}
	for name, list := range map[string]string{"leaked/passwords.txt": leakedPasswordText, "local.txt": localPasswordText} {
		if !strings.HasPrefix(list, "# ") {
			t.Errorf("%s: want its source at the beginning", name)
		}
	}
	for _, password := range []string{"corvette", "bangladesh12", "trustno1", "password", "iloveyou"} {
		if !common[password] {
			t.Errorf("%q: got accepted, want it rejected as common", password)
		}
	}
}

func TestHasher(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := NewHasher(HasherConfig{MemoryKiB: 64, Passes: 1})
	const password = "ca\u0301lm river 7"
	phc, err := h.Hash(ctx, Use{}, password)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.Hash(ctx, Use{}, password); err != nil || again == phc {
		t.Errorf("the same password twice has the same hash (error %v)", err)
	}
	for _, c := range []struct {
		name, password, phc string
		want                bool
	}{
		{"right", password, phc, true},
		{"composed by another keyboard", "c\u00e1lm river 7", phc, true},
		{"wrong", "calm river 7", phc, false},
		{"empty", "", phc, false},
		{"no password set", password, "", false},
		{"empty, and none set", "", "", false},
		{"longer than any", strings.Repeat("x", 1<<20), phc, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := h.Hashes()
			got, err := h.Verify(ctx, Use{}, c.password, c.phc)
			if err != nil || got != c.want {
				t.Errorf("got %t, %v; want %t", got, err, c.want)
			}
			if n := h.Hashes() - before; n != 1 {
				t.Errorf("%d hashes made, want 1", n)
			}
		})
	}
}

func TestHasher_OWASPDefaults(t *testing.T) {
	t.Parallel()
	h := NewHasher(HasherConfig{})
	phc, err := h.Hash(context.Background(), Use{}, "calm river 7")
	if err != nil {
		t.Fatal(err)
	}
	const want = "$argon2id$v=19$m=19456,t=2,p=1$"
	if !strings.HasPrefix(phc, want) {
		t.Errorf("got %q, want it to begin with %q", phc, want)
	}
	// A shop that later raises the cost still knows the passwords from before.
	stronger := NewHasher(HasherConfig{MemoryKiB: 32, Passes: 3})
	if ok, err := stronger.Verify(context.Background(), Use{}, "calm river 7", phc); err != nil || !ok {
		t.Errorf("verify with other defaults: %t, %v", ok, err)
	}
}

func TestStoredHash_Foreign(t *testing.T) {
	t.Parallel()
	const salt, sum = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	good, err := parseStoredHash("$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + sum)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hashCost{64, 1}, good.cost, cmp.AllowUnexported(hashCost{})); diff != "" {
		t.Error(diff)
	}
	for name, phc := range map[string]string{
		"bcrypt":          "$2a$10$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"argon2i":         "$argon2i$v=19$m=64,t=1,p=1$" + salt + "$" + sum,
		"old version":     "$argon2id$v=16$m=64,t=1,p=1$" + salt + "$" + sum,
		"more threads":    "$argon2id$v=19$m=64,t=1,p=4$" + salt + "$" + sum,
		"no pass":         "$argon2id$v=19$m=64,t=0,p=1$" + salt + "$" + sum,
		"too much memory": "$argon2id$v=19$m=4194304,t=1,p=1$" + salt + "$" + sum,
		"too many passes": "$argon2id$v=19$m=64,t=1000,p=1$" + salt + "$" + sum,
		"short sum":       "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$AAAA",
		"text behind":     "$argon2id$v=19$m=64,t=1,p=1x$" + salt + "$" + sum,
		"plain text":      "hunter22",
	} {
		if _, err := parseStoredHash(phc); !errors.Is(err, errStoredHash) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One caller hashes, one waits; the next is rejected. A caller that stops waiting frees its place.
func TestHasher_QueueFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(HasherConfig{MemoryKiB: 64, Passes: 1, Slots: 1, Queue: 1})
		hashing, err := h.Enqueue(Use{Shop: "other"})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.queue.acquire(context.Background(), hashing.use); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		waiting := make(chan error)
		go func() {
			_, err := h.Hash(ctx, Use{}, "calm river 7")
			waiting <- err
		}()
		synctest.Wait()

		_, err = h.Verify(context.Background(), Use{}, "calm river 7", "")
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != fault.CodeRateLimited || e.RetryAfter <= 0 {
			t.Errorf("full queue: %v", err)
		}
		cancel()
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Errorf("gave up: %v", err)
		}
		if n := h.Hashes(); n != 0 {
			t.Errorf("got %d hashes while the slot was in use, want 0", n)
		}
		h.queue.release(hashing.use)
		hashing.Release()
		if _, err := h.Hash(context.Background(), Use{}, "calm river 7"); err != nil {
			t.Errorf("after the slot is free: %v", err)
		}
	})
}

func TestHasher_NoRandomness(t *testing.T) {
	t.Parallel()
	h := NewHasher(HasherConfig{MemoryKiB: 64, Passes: 1, Rand: strings.NewReader("short")})
	if _, err := h.Hash(context.Background(), Use{}, "calm river 7"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("hash with a short salt: %v", err)
	}
}

func BenchmarkHash(b *testing.B) {
	h := NewHasher(HasherConfig{})
	for b.Loop() {
		if _, err := h.Hash(context.Background(), Use{}, "calm river 7"); err != nil {
			b.Fatal(err)
		}
	}
}
