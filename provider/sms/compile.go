package sms

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const maxTimeoutSeconds = 30

var secretName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Validate returns [Faults] with every problem of the configuration, or nil.
func (c Config) Validate() error {
	_, err := compile(&c)
	return err
}

// gateway is a compiled [Config].
type gateway struct {
	request request
	success matcher
	failure *matcher
}

// compiler compiles a [Config] and collects its faults.
type compiler struct {
	cfg    *Config
	faults Faults
	used   map[string]bool // placeholders that occur
}

func compile(cfg *Config) (*gateway, error) {
	c := &compiler{cfg: cfg, used: make(map[string]bool)}
	c.checkSecrets()
	g := &gateway{}
	g.request.method = c.method()
	c.compileURL(&g.request)
	g.request.query = c.params("query", cfg.Query)
	g.request.headers = c.headers()
	g.request.auth = c.auth()
	g.request.body = c.body()
	c.checkUsed()
	c.checkNumbers()
	if cfg.TimeoutSeconds < 0 || cfg.TimeoutSeconds > maxTimeoutSeconds {
		c.faults.add("timeoutSeconds", "must be 1 to %d seconds, or 0 for the default", maxTimeoutSeconds)
	}
	g.success = c.matcher("success", cfg.Success)
	if g.success.Status == nil {
		g.success.Status = &statusOK
	}
	if cfg.Failure != nil {
		failure := c.matcher("failure", *cfg.Failure)
		if *cfg.Failure == (Rule{}) {
			c.faults.add("failure", "must have status, json or body, or be omitted")
		}
		g.failure = &failure
	}
	if cfg.MessageID != "" {
		c.checkPath("messageId", cfg.MessageID)
	}
	for _, path := range cfg.Error {
		c.checkPath("error", path)
	}
	return g, c.faults.err()
}

func (c *compiler) checkSecrets() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Secrets)) {
		if !secretName.MatchString(name) {
			c.faults.add("secrets", "the name %q must begin with a letter and contain only letters, digits and _", name)
		}
		switch c.cfg.Secrets[name] {
		case "":
			c.faults.add("secrets."+name, "must not be empty")
		case redacted:
			c.faults.add("secrets."+name, "must be the secret, which is never shown again")
		}
	}
}

func (c *compiler) checkUsed() {
	for _, name := range []string{"to", "text"} {
		if !c.used[name] {
			c.faults.add("{"+name+"}", "must occur in query, body or url, where the gateway expects it")
		}
	}
}

func (c *compiler) checkNumbers() {
	switch c.cfg.NumberFormat {
	case "", E164, International:
	case National:
		if len(c.cfg.CallingCodes) > 1 || slices.Contains(c.cfg.CallingCodes, anyCountry) {
			c.faults.add("callingCodes", "must be one code, such as 880, for national numbers")
		}
	default:
		c.faults.add("numberFormat", "must be %s, %s or %s", E164, International, National)
	}
	for _, code := range c.cfg.CallingCodes {
		if !callingCode.MatchString(code) && (code != anyCountry || len(c.cfg.CallingCodes) > 1) {
			c.faults.add("callingCodes", "%q must be the digits of a calling code, such as 880, or only * for all countries", code)
		}
	}
}

func (c *compiler) method() string {
	switch c.cfg.Method {
	case "", http.MethodPost:
		return http.MethodPost
	case http.MethodGet:
		return http.MethodGet
	}
	c.faults.add("method", "must be GET or POST")
	return ""
}

// template parses a template that must not render empty for lack of a sender.
func (c *compiler) template(field, text string) template {
	t := c.optional(field, text)
	for _, p := range t {
		if p.name == "sender" && c.cfg.Sender == "" {
			c.faults.add("sender", "must be set, because %s uses it", field)
		}
	}
	return t
}

// optional parses a template that may render empty.
func (c *compiler) optional(field, text string) template {
	t := parseTemplate(text)
	for _, p := range t {
		c.used[p.name] = true
		secret, isSecret := strings.CutPrefix(p.name, secretPrefix)
		switch {
		case isSecret:
			if _, ok := c.cfg.Secrets[secret]; !ok {
				c.faults.add(field, "unknown secret %s: add it to secrets", secret)
			}
		case p.name == "encoding":
			if c.cfg.Encoding == (Encoding{}) {
				c.faults.add("encoding", "gsm7 and unicode must be set, because %s uses them", field)
			}
		case !slices.Contains([]string{"", "to", "text", "sender", "ref"}, p.name):
			c.faults.add(field, "unknown placeholder {%s}: use {to}, {text}, {sender}, {ref}, {encoding} or {secret.NAME}", p.name)
		}
	}
	return t
}

func (c *compiler) params(field string, texts map[string]string) []param {
	var list []param
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		at := field + "." + name
		c.checkName(at, name)
		list = append(list, param{name, c.optional(at, texts[name])})
	}
	return list
}

// checkName rejects empty names and placeholders in names.
func (c *compiler) checkName(field, name string) {
	if name == "" {
		c.faults.add(field, "the name must not be empty")
	}
	if placeholder.MatchString(name) {
		c.faults.add(field, "a name must not contain a placeholder")
	}
}

// compileURL splits the URL, so that each value is escaped for its position and no value can change
// the host.
func (c *compiler) compileURL(r *request) {
	const field = "url"
	text := c.cfg.URL
	probe, err := url.Parse(placeholder.ReplaceAllString(text, "x"))
	if err != nil || probe.Host == "" || probe.Opaque != "" {
		c.faults.add(field, "must be an absolute URL, such as https://sms.example.com/send")
		return
	}
	switch {
	case probe.Scheme == "http" && c.cfg.AllowHTTP, probe.Scheme == "https":
	case probe.Scheme == "http":
		c.faults.add(field, "must use https; allowHttp permits http, which exposes keys and codes on the network")
	default:
		c.faults.add(field, "must begin with https://")
	}
	if !isHost(probe) {
		c.faults.add(field, "must name its host in ASCII, with a number after any colon, such as sms.example.com or sms.example.com:8443")
	}
	if probe.User != nil {
		c.faults.add(field, "must not contain a user or password; use auth")
	}
	if strings.Contains(text, "#") {
		c.faults.add(field, "must not contain a fragment (#)")
	}
	if hasDotSegment(probe.EscapedPath()) {
		c.faults.add(field, "must not contain the path segments . and ..")
	}
	host := strings.Index(text, "://") + len("://")
	end := len(text)
	if i := strings.IndexAny(text[host:], "/?#"); i >= 0 {
		end = host + i
	}
	if placeholder.MatchString(text[:end]) {
		c.faults.add(field, "the host must not contain a placeholder")
	}
	r.base = text[:end]
	path, query, _ := strings.Cut(text[end:], "?")
	r.pathTemplate = path
	r.path, r.urlQuery = c.template(field, path), c.template(field, query)
}

// isHost reports whether the host of u is an IP address or a name of ASCII letters, digits, hyphens
// and underscores, and its port a number or absent. net/http changes other hosts before it sends.
func isHost(u *url.URL) bool {
	name := u.Hostname()
	if strings.HasSuffix(u.Host, ":") || name == "" {
		return false
	}
	if strings.HasPrefix(u.Host, "[") {
		address, err := netip.ParseAddr(name)
		return err == nil && address.Zone() == ""
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// hasDotSegment reports whether a path contains a segment that servers may resolve to another path.
func hasDotSegment(escapedPath string) bool {
	for segment := range strings.SplitSeq(escapedPath, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
