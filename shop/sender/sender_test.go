package sender_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

// world is a shop with its providers of messages and what it reports of them.
type world struct {
	*sender.Sender
	sms     *shoptest.SMS
	mail    *shoptest.Mail
	clock   *shoptest.Clock
	settled *outcomes
}

// outcomes is the shop's observer. It stores the outcomes of messages.
type outcomes struct {
	shop.Observer
	mu  sync.Mutex
	got []string
}

func (o *outcomes) MessageSent(outcome sender.Outcome) { o.add("sms", outcome) }
func (o *outcomes) MailSent(outcome sender.Outcome)    { o.add("mail", outcome) }
func (o *outcomes) add(kind string, outcome sender.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.got = append(o.got, kind+" "+string(outcome))
}

func newWorld(t *testing.T) *world {
	t.Helper()
	a := shoptest.NewAccounts(t)
	w := &world{sms: a.SMS, mail: shoptest.NewMail(), clock: a.Clock, settled: &outcomes{}}
	a.Config.NewMail, a.Config.Observer = w.mail.New, w.settled
	w.Sender = a.Reopened().Sender
	return w
}

// kind is text messages or e-mails.
type kind struct {
	configure     func(ctx context.Context, caller access.Caller, config []byte) error
	config        func(ctx context.Context, caller access.Caller) ([]byte, error)
	test          func(ctx context.Context, caller access.Caller, to string) (string, error)
	send          func() error
	answer        func(err error)
	to            string
	notConfigured error
	unknown       error
	unavailable   fault.Code
}

func (w *world) kinds(t *testing.T) map[string]kind {
	t.Helper()
	return map[string]kind{
		"sms": {
			configure: w.ConfigureSMS, config: w.SMSConfig, test: w.SendTestSMS,
			send: func() error {
				_, err := w.SendText(t.Context(), shoptest.RahimsPhone, "Good morning.")
				return err
			},
			answer: func(err error) { w.sms.Answer(func(string, string) error { return err }) },
			to:     "01711-000000", notConfigured: sender.ErrSMSNotConfigured,
			unknown: sender.ErrSMSUnknown, unavailable: fault.CodeSMSUnavailable,
		},
		"mail": {
			configure: w.ConfigureMail, config: w.MailConfig, test: w.SendTestMail,
			send: func() error {
				_, err := w.SendMail(
					t.Context(),
					sender.Email{To: "rahim@example.com", Text: "Good morning."},
				)
				return err
			},
			answer: func(err error) { w.mail.Answer(func(string) error { return err }) },
			to:     "rahim@example.com", notConfigured: sender.ErrMailNotConfigured,
			unknown: sender.ErrMailUnknown, unavailable: fault.CodeEmailUnavailable,
		},
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for name, k := range w.kinds(t) {
		if _, err := k.config(ctx, access.Operator()); err != k.notConfigured {
			t.Errorf("%s: got %v, want %v", name, err, k.notConfigured)
		}
		if err := k.configure(ctx, access.Caller{}, []byte("{}")); !fault.HasCode(
			err,
			fault.CodeUnauthenticated,
		) {
			t.Errorf("%s: a guest got %v, want %s", name, err, fault.CodeUnauthenticated)
		}
		const config = `{"key":"s3cret"}`
		if err := k.configure(ctx, access.Operator(), []byte(config)); err != nil {
			t.Fatal(err)
		}
		if got, err := k.config(ctx, access.Operator()); err != nil || string(got) != config {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		if err := k.configure(ctx, access.Operator(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := k.config(ctx, access.Operator()); err != k.notConfigured {
			t.Errorf("%s: after removal: got %v, want %v", name, err, k.notConfigured)
		}
	}
}

// A configuration that the adapter refuses is not stored, and a valid one serves from the next
// message on.
func TestConfigure_Adapter(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	invalid := errors.New("the sender is missing")
	a.Config.NewSMS = func(config []byte, callingCode string) (sender.SMS, error) {
		switch {
		case config == nil:
			return nil, sender.ErrSMSNotConfigured
		case callingCode != "880" || string(config) != "good":
			return nil, invalid
		}
		return a.SMS, nil
	}
	s := a.Reopened().Sender
	send := func() error {
		_, err := s.SendText(t.Context(), shoptest.RahimsPhone, "Good morning.")
		return err
	}
	if err := send(); !errors.Is(err, sender.ErrSMSNotConfigured) {
		t.Errorf("got %v, want %v", err, sender.ErrSMSNotConfigured)
	}
	if err := s.ConfigureSMS(t.Context(), access.Operator(), []byte("bad")); !errors.Is(
		err,
		invalid,
	) {
		t.Errorf("got %v, want %v", err, invalid)
	}
	if _, err := s.SMSConfig(t.Context(), access.Operator()); err != sender.ErrSMSNotConfigured {
		t.Errorf("got %v, want %v", err, sender.ErrSMSNotConfigured)
	}
	if err := s.ConfigureSMS(t.Context(), access.Operator(), []byte("good")); err != nil {
		t.Fatal(err)
	}
	if err := send(); err != nil {
		t.Errorf("after configuration: %v", err)
	}
}

func TestSendTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, k := range w.kinds(t) {
		if _, err := k.test(t.Context(), access.Operator(), "x"); !fault.HasCode(
			err,
			fault.CodeValidationFailed,
		) {
			t.Errorf("%s: got %v, want %s", name, err, fault.CodeValidationFailed)
		}
		if id, err := k.test(t.Context(), access.Operator(), k.to); err != nil || id == "" {
			t.Errorf("%s: got %q, %v, want an ID", name, id, err)
		}
	}
	want := []shoptest.Message{{To: shoptest.RahimsPhone, Text: "A test message of Test Shop."}}
	if got := w.sms.Messages(); !slices.Equal(got, want) {
		t.Errorf("got messages %+v, want %+v", got, want)
	}
	mail := w.mail.Next(t, "rahim@example.com")
	if mail.Subject != "Test e-mail of Test Shop" ||
		mail.Text != "This is a test e-mail of Test Shop.\n" {
		t.Errorf("got e-mail %+v", mail)
	}
}

func TestSendTestSMS_Limit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range sender.MaxTests {
		if _, err := w.SendTestSMS(t.Context(), access.Operator(), "01711-000000"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.SendTestSMS(t.Context(), access.Operator(), "01711-000000")
	shoptest.WantCode(t, err, fault.CodeRateLimited)
	w.clock.Advance(24*time.Hour + time.Second)
	if _, err := w.SendTestSMS(t.Context(), access.Operator(), "01711-000000"); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

func TestSend_Outcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	for _, name := range []string{"sms", "mail"} {
		k := w.kinds(t)[name]
		if err := k.send(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		k.answer(fmt.Errorf("timed out: %w", k.unknown))
		if err := k.send(); !sender.IsUnknown(err) {
			t.Errorf("%s: got %v, want an unknown outcome", name, err)
		}
		k.answer(errors.New("no credit"))
		err := k.send()
		if sender.IsUnknown(err) || !fault.HasCode(err, k.unavailable) ||
			sender.Reason(err) != "no credit" {
			t.Errorf("%s: got %v, want %s and the provider's reason", name, err, k.unavailable)
		}
		want = append(want, name+" sent", name+" unknown", name+" refused")
	}
	if !slices.Equal(w.settled.got, want) {
		t.Errorf("got outcomes %q, want %q", w.settled.got, want)
	}
}

// A provider that does not respond blocks a limited number of requests.
func TestSend_Slow(t *testing.T) {
	t.Parallel()
	const slots = 32
	w := newWorld(t)
	started, proceed := make(chan struct{}), make(chan struct{})
	w.sms.Answer(func(string, string) error {
		started <- struct{}{}
		<-proceed
		return nil
	})
	var sending sync.WaitGroup
	for range slots {
		sending.Go(func() {
			if _, err := w.SendText(t.Context(), shoptest.RahimsPhone, "Good morning."); err != nil {
				t.Error(err)
			}
		})
		<-started
	}
	_, err := w.SendText(t.Context(), shoptest.RahimsPhone, "Good morning.")
	shoptest.WantCode(t, err, fault.CodeSMSUnavailable)
	close(proceed)
	sending.Wait()
	w.sms.Answer(nil)
	if _, err := w.SendText(t.Context(), shoptest.RahimsPhone, "Good morning."); err != nil {
		t.Errorf("after the others: %v", err)
	}
}

func TestSendTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mail := sender.Email{Subject: "Order 1042", Text: "Your order was delivered."}
	_, err := w.SendTo(t.Context(), "x", mail)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	for _, to := range []string{"01711 000000", "Rahim@Example.com"} {
		if _, err := w.SendTo(t.Context(), to, mail); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
	want := []shoptest.Message{{To: shoptest.RahimsPhone, Text: mail.Text}}
	if got := w.sms.Messages(); !slices.Equal(got, want) {
		t.Errorf("got messages %+v, want %+v", got, want)
	}
	got := w.mail.Next(t, "rahim@example.com")
	if want := (sender.Email{To: "rahim@example.com", Subject: mail.Subject, Text: mail.Text + "\n"}); got != want {
		t.Errorf("got e-mail %+v, want %+v", got, want)
	}
}

// The shop's name is cut after a word so that a message fits in one segment.
func TestCompose(t *testing.T) {
	t.Parallel()
	const format = "%[1]s is your %[2]s code. Do not share it."
	for name, want := range map[string]string{
		"Demo Shop — ডেমো শপ":                             "1234 is your Demo Shop code. Do not share it.",
		"The Barendra Heritage Handicrafts and Boutiques": "1234 is your The Barendra Heritage… code. Do not share it.",
	} {
		if got := sender.Compose(locale.English, format, name, "1234"); got != want ||
			sender.Segments(got) != 1 {
			t.Errorf("%s: got %q, want %q in one segment", name, got, want)
		}
	}
}
