package e2e

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"
)

// emailCode returns the code of the latest e-mail about something, such as "Your code for".
func (s *buyer) emailCode(about string) string {
	s.t.Helper()
	return s.waitCode(about + `[^:]*:\n\n(\d{6})\n`)
}

// waitCode returns the group of a pattern in the page of messages. A message may be sent after the
// response.
func (s *buyer) waitCode(pattern string) string {
	s.t.Helper()
	for range 100 {
		if code := regexp.MustCompile(pattern).FindStringSubmatch(s.messages()); code != nil {
			return code[1]
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("no code on the page of messages:\n%s", s.messages())
	return ""
}

// messages returns the text of the page of messages.
func (s *buyer) messages() string {
	s.t.Helper()
	found := messagesAddress.FindStringSubmatch(s.p.logged())
	if found == nil {
		s.t.Fatalf("the page of messages is not printed:\n%s", s.p.logged())
	}
	res, err := http.Get(found[1])
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return html.UnescapeString(string(body))
}

// A customer with an e-mail address signs in with a code, on a narrow phone in Bangla and dark, and
// sets a password without the old one on a desktop.
func TestPage_Email(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 360)
	s.AllowProblem("status of 422")
	s.AllowProblem("status of 403")
	s.SetMediaFeature("prefers-color-scheme", "dark")
	s.visit("?view=account")
	const oneLine = `[...document.querySelectorAll(".ways a")].every((a) => a.offsetHeight < 48)`
	s.Wait(oneLine)
	s.switchLanguage("bn")
	s.Wait(oneLine)
	s.Click("#by-email")
	s.WaitVisible("[name=email]")
	s.wantNoOverflow("e-mail")
	s.Accessible("sign-in by e-mail")
	s.screenshot("email-narrow")
	s.Fill("[name=email]", "Karim@Example.com")
	s.Click("#send-code")
	s.WaitVisible("[name=code]")
	s.Fill("[name=code]", s.emailCode("Your code for"))
	s.Click("#verify")
	s.WaitVisible("[name=name]") // a new customer
	s.Fill("[name=name]", "Karim Miah")
	s.wantNoOverflow("code by e-mail")
	s.Accessible("code by e-mail")
	s.fullScreenshot("email-code-narrow")
	s.Click("#verify")
	s.waitText("h1", "Karim Miah")
	s.switchLanguage("en")
	s.openSections()
	s.waitText("#email", "karim@example.com is verified")
	s.wantNoOverflow("account with an e-mail address")
	s.fullScreenshot("email-account-narrow")
	s.Click("#sign-out")

	s.SetMediaFeature("prefers-color-scheme", "light")
	s.Resize(1280, 900)
	s.visit("?view=account&by=password")
	s.Click("#by-reset")
	s.WaitVisible("[name=email]")
	s.Fill("[name=email]", "karim@example.com")
	s.Click("#send-code")
	s.WaitVisible("[name=newPassword]")
	s.screenshot("reset-wide")
	s.Fill("[name=code]", s.emailCode("Your code to set a new password for"))
	s.Fill("[name=newPassword]", "a long and quiet river")
	s.Click("#verify")
	s.waitHeading("Welcome, Karim Miah")
	s.Click("#sign-out")
	s.visit("?view=account&by=password")
	s.Fill("[name=user]", "karim@example.com")
	s.Fill("[name=password]", "a long and quiet river")
	s.Click("#login")
	s.waitHeading("Welcome, Karim Miah")
}
