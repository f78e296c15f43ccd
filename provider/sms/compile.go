package sms

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const maxTimeoutSeconds = 30

var secretName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Validate gives [Faults] that name everything wrong with the configuration, or nil.
func (c Config) Validate() error {
	_, err := compile(&c)
	return err
}

// gateway is a Config, ready to be used.
type gateway struct {
	request request
	success matcher
	failure *matcher
}

// compiler makes a gateway of a Config and collects what is wrong on the way.
type compiler struct {
	cfg    *Config
	faults Faults
	used   map[string]bool // placeholders
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
		c.faults.add("timeoutSeconds", "choose 1 to %d seconds, or 0 for the default", maxTimeoutSeconds)
	}
	g.success = c.matcher("success", cfg.Success)
	if g.success.Status == nil {
		g.success.Status = &statusOK
	}
	if cfg.Failure != nil {
		failure := c.matcher("failure", *cfg.Failure)
		if *cfg.Failure == (Rule{}) {
			c.faults.add("failure", "say what a refusal looks like by status, json or body, or leave failure out")
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
			c.faults.add("secrets", "%q is no name for a secret: use letters, digits and _", name)
		}
		if c.cfg.Secrets[name] == "" {
			c.faults.add("secrets."+name, "give it a value")
		}
	}
}

func (c *compiler) checkUsed() {
	for _, name := range []string{"to", "text"} {
		if !c.used[name] {
			c.faults.add("{"+name+"}", "put it where the gateway expects it: in query, body or url")
		}
	}
}

func (c *compiler) checkNumbers() {
	switch c.cfg.NumberFormat {
	case "", E164, International:
	case National:
		if len(c.cfg.CallingCodes) != 1 {
			c.faults.add("callingCodes", "a national number needs exactly one country, such as 880")
		}
	default:
		c.faults.add("numberFormat", "choose %s, %s or %s", E164, International, National)
	}
	for _, code := range c.cfg.CallingCodes {
		if !callingCode.MatchString(code) {
			c.faults.add("callingCodes", "%q is no calling code: write its digits, such as 880", code)
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
	c.faults.add("method", "choose GET or POST")
	return ""
}

// template parses a text that stands where something must stand.
func (c *compiler) template(field, text string) template {
	t := c.optional(field, text)
	for _, p := range t {
		if p.name == "sender" && c.cfg.Sender == "" {
			c.faults.add("sender", "%s uses it: say who the message is from", field)
		}
	}
	return t
}

// optional parses a text that may come out empty.
func (c *compiler) optional(field, text string) template {
	t := parseTemplate(text)
	for _, p := range t {
		c.used[p.name] = true
		secret, isSecret := strings.CutPrefix(p.name, secretPrefix)
		switch {
		case isSecret:
			if _, ok := c.cfg.Secrets[secret]; !ok {
				c.faults.add(field, "there is no secret %s: add it to secrets", secret)
			}
		case p.name == "encoding":
			if c.cfg.Encoding == (Encoding{}) {
				c.faults.add("encoding", "%s uses it: say what gsm7 and unicode are called", field)
			}
		case !slices.Contains([]string{"", "to", "text", "sender", "ref"}, p.name):
			c.faults.add(field, "{%s} is unknown: there are {to}, {text}, {sender}, {ref}, {encoding} and {secret.NAME}", p.name)
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

// checkName keeps names apart from what is filled in.
func (c *compiler) checkName(field, name string) {
	if name == "" {
		c.faults.add(field, "a name is empty")
	}
	if placeholder.MatchString(name) {
		c.faults.add(field, "placeholders work in values, not in names")
	}
}

// compileURL takes the address apart, so that each value is escaped for its place and none can
// choose the host.
func (c *compiler) compileURL(r *request) {
	const field = "url"
	text := c.cfg.URL
	probe, err := url.Parse(placeholder.ReplaceAllString(text, "x"))
	if err != nil || probe.Host == "" || probe.Opaque != "" {
		c.faults.add(field, "write the gateway's whole address, such as https://sms.example.com/send")
		return
	}
	switch {
	case probe.Scheme == "http" && c.cfg.AllowHTTP, probe.Scheme == "https":
	case probe.Scheme == "http":
		c.faults.add(field, "use https; if the gateway has none, set allowHttp, and keys and codes can be read on their way")
	default:
		c.faults.add(field, "begin with https://")
	}
	if probe.User != nil {
		c.faults.add(field, "put user and password in auth")
	}
	if strings.Contains(text, "#") {
		c.faults.add(field, "leave out what follows #: it is never sent")
	}
	if hasDotSegment(probe.EscapedPath()) {
		c.faults.add(field, "leave out the segments . and ..")
	}
	host := strings.Index(text, "://") + len("://")
	end := len(text)
	if i := strings.IndexAny(text[host:], "/?#"); i >= 0 {
		end = host + i
	}
	if placeholder.MatchString(text[:end]) {
		c.faults.add(field, "write the host out: a placeholder can not choose it")
	}
	r.base = text[:end]
	path, query, _ := strings.Cut(text[end:], "?")
	r.pathTemplate = path
	r.path, r.urlQuery = c.template(field, path), c.template(field, query)
}

// hasDotSegment finds what some servers take for a way up.
func hasDotSegment(escapedPath string) bool {
	for segment := range strings.SplitSeq(escapedPath, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
