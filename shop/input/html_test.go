package input_test

import (
	"testing"

	"storefront/shop/input"
)

func TestSanitizeHTML(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"": "",
		`<h2 id="cart" title="Care" lang="bn-BD" dir="ltr">Care</h2>`:                 `<h2 title="Care" lang="bn-BD" dir="ltr">Care</h2>`,
		`<form id="x" name="y"><input name="z"></form><p ID=checkout>a</p>`:           `<p>a</p>`,
		`<p onclick="x()" style="color:red" class="c">a<script>b</script></p>`:        `<p>a</p>`,
		`<a href="javascript:x()">a</a><a href="https://a.example/" id="total">b</a>`: `a<a href="https://a.example/" rel="nofollow">b</a>`,
		`<img src="/a.png" alt="A" width="40" id="logo" onerror="x()">`:               `<img src="/a.png" alt="A" width="40">`,
		`<table><tr><td colspan="2">a</td></tr></table><ul type="disc"><li value="3">b</li></ul>`: `<table><tr><td colspan="2">a</td></tr></table>` +
			`<ul type="disc"><li value="3">b</li></ul>`,
		`<details open><summary>a</summary>b</details><meter value="0.5" id="m"></meter>`: `<details open=""><summary>a</summary>b</details>` +
			`<meter value="0.5"></meter>`,
	} {
		got := input.SanitizeHTML(html)
		if got != want {
			t.Errorf("SanitizeHTML(%q): got %q, want %q", html, got, want)
		}
		if again := input.SanitizeHTML(got); again != got {
			t.Errorf("SanitizeHTML(%q): got %q, want the same", got, again)
		}
	}
}
