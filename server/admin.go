package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/server/admin"
	"storefront/server/certificate"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
	"storefront/transport"
)

// isAdminPath reports whether a path belongs to the Admin API or the dashboard.
func isAdminPath(path string) bool { return path == "/admin" || strings.HasPrefix(path, "/admin/") }

// servesAdmin reports whether a path of the Admin API or the dashboard exists at the host of a
// request. With TLS, the connection must have been opened to such a host, too. A host of a shop has
// the shop's own alone.
func (s *Server) servesAdmin(r *http.Request) bool {
	if s.cfg.NoAdmin {
		return false
	}
	serves := func(host string) bool { return slices.Contains(s.cfg.AdminHosts, host) }
	host := requestHost(r)
	if serves(host) {
		return r.TLS == nil || serves(certificate.CanonicalHost(r.TLS.ServerName))
	}
	if s.sites != nil { // otherwise a command
		if uid, ok := s.siteOwner(host); ok {
			return isOwnAdminPath(r.URL.Path, uid) && s.hasOwnAdmin(r.Context(), uid)
		}
	}
	return len(s.cfg.AdminHosts) == 0
}

// isOwnAdminPath reports whether a path belongs to the dashboard, or to the Admin API of one shop.
func isOwnAdminPath(path, uid string) bool {
	rest, isAPI := strings.CutPrefix(path, admin.Prefix)
	return !isAPI || rest == "start" || strings.HasPrefix(rest, "shops/"+uid+"/")
}

// hasOwnAdmin reports whether a shop has its dashboard at its own hosts: as its plan has it, and
// otherwise unless the dashboard has hosts of its own.
func (s *Server) hasOwnAdmin(ctx context.Context, uid string) bool {
	isUsual := len(s.cfg.AdminHosts) == 0
	found, err := s.cfg.Tenants.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return isUsual && !fault.HasCode(err, fault.CodeTenantNotFound) // the operation reports it
	}
	set, err := found.Settings(ctx)
	if err != nil || set.Plan == nil || set.Plan.OwnHost == nil {
		return isUsual
	}
	return *set.Plan.OwnHost
}

// canonicalHosts returns host names in the form of [requestHost].
func canonicalHosts(names []string) []string {
	canonical := make([]string, len(names))
	for i, name := range names {
		canonical[i] = certificate.CanonicalHost(name)
	}
	return canonical
}

// routeAdmin adds the Admin API, its document, its reference and the dashboard.
func (s *Server) routeAdmin() error {
	if err := s.registerAdmin(admin.Operations()); err != nil {
		return err
	}
	s.routeAdminPage()
	s.routeAgent()
	s.routeAdminDocument()
	return nil
}

// registerAdmin adds the operations of the Admin API, behind the identification of shop and caller.
func (s *Server) registerAdmin(operations []admin.Operation) error {
	if err := admin.Check(operations); err != nil {
		return err
	}
	for i := range operations {
		o := &operations[i]
		identify := s.identifyStaff
		if o.OfInstallation {
			identify = s.identifyOperator
		}
		s.add(o.Method, o.Route(), identify, func(api huma.API) {
			spec := adminOperation(o)
			op := spec.document()
			op.Extensions = map[string]any{"x-permission": string(o.Use.Permission)}
			op.Middlewares = s.adminMiddlewares(o)
			s.deprecate(&spec, &op)
			o.Register(api, op)
			spec.complete(api.OpenAPI())
		})
	}
	return nil
}

// adminOperation returns an operation of the Admin API as the server describes it.
func adminOperation(o *admin.Operation) operation {
	spec := operation{
		id: o.ID, method: o.Method, path: o.Route(), tag: o.Tag, summary: o.Summary, permission: o.Use.Permission,
		description: o.Description + "\n\n" + requirement(o.Use.Permission),
		csv:         o.CSV, workbook: o.Workbook, image: o.Image, created: o.Created, bodyOptional: o.BodyOptional, codes: o.Codes, example: o.Example,
		readOnly: !o.Changes(),
		admin:    adminInput{query: o.HasQuery(), conditional: o.IsConditional(), beforeSetup: staff.IsBeforeSetup(o.Use)},
	}
	spec.headers = map[string]*huma.Param{}
	if o.Idempotent {
		spec.parameters = []*huma.Param{staffKeyHeader}
		spec.headers["Idempotent-Replayed"] = stringHeader("true: this is the first response to this idempotency key again")
		spec.codes = append(slices.Clone(spec.codes), fault.CodeIdempotencyKeyReused, fault.CodeStateConflict)
	}
	if o.Versioned {
		spec.headers["ETag"] = stringHeader("Version of what can be edited: send it as If-Match with a change")
	}
	if o.IsConditional() {
		spec.codes = append(slices.Clone(spec.codes), fault.CodeChangedMeanwhile)
	}
	return spec
}

// requirement states the requirements of an operation on its caller.
func requirement(p access.Permission) string {
	switch p {
	case access.Anybody:
		return "Requires neither a session nor an API key."
	case access.Own:
		return "Requires a session of a staff member."
	case access.Any:
		return "Requires a session of a staff member or an API key."
	}
	return "Requires the permission `" + string(p) + "`."
}

// adminMiddlewares returns the middlewares of every operation. Nothing is read before the caller is
// authorized.
func (s *Server) adminMiddlewares(o *admin.Operation) huma.Middlewares {
	all := huma.Middlewares{s.authorizeStaff(o), checkStrictQuery}
	if o.Method != http.MethodGet && !o.IsConditional() {
		all = append(all, refuseIfMatch)
	}
	switch {
	case o.Method == http.MethodGet && o.Changes():
		all = append(all, skipHead)
	case o.CSV:
		all = append(all, s.queueImport, s.readCSV)
	case o.Image:
		all = append(all, s.readImage)
	case hasBody(o.Method):
		all = append(all, s.readBody)
	}
	if o.Method == http.MethodPatch {
		all = append(all, checkNulls(o))
	}
	if o.Idempotent {
		all = append(all, s.repeatOnce(o))
	}
	if o.Stream {
		return all
	}
	return append(all, limitResponse(o.Changes()))
}

// skipHead is the middleware of operations that read and are in the audit log, such as exports:
// nothing is read for HEAD, so there is nothing to record.
func skipHead(ctx huma.Context, next func(huma.Context)) {
	if ctx.Method() == http.MethodHead {
		ctx.SetStatus(http.StatusOK)
		return
	}
	next(ctx)
}

// refuseIfMatch is the middleware of changes without a version. Ignoring the header could overwrite
// data that the client requires to be unchanged.
func refuseIfMatch(ctx huma.Context, next func(huma.Context)) {
	if ctx.Header("If-Match") != "" {
		exchangeOf(ctx).fail(fault.InputError(fault.FieldError{
			Field: "If-Match", Code: fault.CodeInvalidValue, Message: "This operation has no version to compare: send it without If-Match.",
		}))
		return
	}
	next(ctx)
}

// checkNulls returns the middleware that refuses null for fields of a change that cannot be
// cleared. huma would ignore it.
func checkNulls(o *admin.Operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		var tree any
		if body, ok := ctx.(*bodyContext); ok && unmarshalTree(body.body, &tree) == nil { // otherwise huma reports the body
			if err := o.CheckNulls(tree); err != nil {
				exchangeOf(ctx).fail(err)
				return
			}
		}
		next(ctx)
	}
}

// identifyStaff finds the shop of a request of the Admin API and the credentials of its caller.
func (s *Server) identifyStaff(x *exchange, r *http.Request, ctx huma.Context) error {
	uid := ctx.Param("tenant")
	if err := s.identifyCaller(x, r, uid); err != nil {
		return err
	}
	if uid == "" { // of an operation on the whole server
		return checkSameOrigin(r, false)
	}
	if err := s.identifySession(x, r, sessionCookie); err != nil {
		return err
	}
	var err error
	if x.shop, err = s.cfg.Tenants.FindIncludingSuspended(&x.deadline, uid); err != nil {
		return err
	}
	return x.chargePlan()
}

// identifyOperator finds the credentials of the caller of an operation of operators. The
// installation takes the place of the shop.
func (s *Server) identifyOperator(x *exchange, r *http.Request, _ huma.Context) error {
	if err := s.identifyCaller(x, r, ""); err != nil {
		return err
	}
	if err := s.identifySession(x, r, operatorCookie); err != nil {
		return err
	}
	var err error
	x.shop, err = s.cfg.Tenants.Installation(&x.deadline)
	if fault.HasCode(err, fault.CodeNotFound) {
		return fault.Errorf(fault.CodeUnauthenticated, "This server has no operators: create one with `storefront operator create`.")
	}
	return err
}

// identifyCaller reads the credentials of a request of the Admin API for the shop uid, except
// cookies, and counts the request.
func (s *Server) identifyCaller(x *exchange, r *http.Request, uid string) error {
	if !s.isConfidential(r) {
		return &fault.Error{
			Code: fault.CodeHTTPSRequired,
			Message: "The Admin API requires HTTPS. Use https:// or, if a proxy in front of the server terminates TLS, start it with an https " +
				"--public-url. Replace any secret that was sent.",
		}
	}
	for _, header := range r.Header["X-Tenant"] {
		if header != uid {
			return &fault.Error{Code: fault.CodeMalformed, Message: "The shop is in the path: leave out x-tenant, or send the same UID."}
		}
	}
	x.caller = callerOf(r, s.cfg.TrustedProxies)
	x.caller.OrderToken, x.caller.WorkProof = "", ""
	x.caller.RequestID, x.caller.Agent = x.requestID, firstOf(r.Header, "User-Agent")
	x.caller.ByAgent = r.Context().Value(agentKey{}) != nil
	x.caller.Origin = "http://" + r.Host // of the dashboard: pages of others are refused
	if s.isEncrypted(r) {
		x.caller.Origin = "https://" + r.Host
	}
	return x.chargeClient(1)
}

// identifySession reads the cookie of a session with that name, and refuses requests of other
// sites.
func (s *Server) identifySession(x *exchange, r *http.Request, cookie string) error {
	if x.caller.Bearer == "" && !x.caller.BadAuthorization {
		x.caller.Session = s.cookieOf(r, cookie)
		x.caller.Device = s.cookieOf(r, deviceCookie)
		if err := checkSameOrigin(r, x.caller.Session != ""); err != nil {
			return err
		}
	}
	return x.chargeStaff()
}

// authorizeStaff returns the middleware that checks the caller before the request is read, and
// records the caller and the successful actions for the log.
func (s *Server) authorizeStaff(o *admin.Operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if o.Use.Permission == access.Anybody {
			next(ctx)
			return
		}
		x := exchangeOf(ctx)
		who, err := x.shop.Staff.Authorize(&x.deadline, x.caller, o.Use)
		if err != nil {
			x.fail(err)
			return
		}
		actor := who.Actor()
		x.actor, x.caller.Authorized, x.caller.AuthorizedFor = actor.ID, who, o.Use
		if who.Permits(access.PricesRead) {
			next(ctx)
		} else {
			x.sendWithoutAmounts(o, func() { next(ctx) })
		}
		if o.Changes() && ctx.Method() != http.MethodHead && x.status < http.StatusBadRequest {
			x.ReportAction(transport.Action{Name: o.ID, Actor: actor})
		}
	}
}

// Acquire implements [admin.Exchange]. Work is counted by staff member or API key, and not by
// client address, since colleagues share one.
func (x *exchange) Acquire(work admin.Work) (release func(), err error) {
	l := x.server.limits
	if l == nil || work == admin.WorkFree {
		return func() {}, nil
	}
	if work == admin.WorkImage {
		return x.acquireImage(l)
	}
	slots := map[admin.Work]*readSlots{
		admin.WorkRecord: &l.records, admin.WorkList: &l.lists, admin.WorkProvider: &l.calls, admin.WorkStream: &l.streams,
	}[work]
	return x.acquire(&x.deadline, slots, x.shop.UID()+"\x00staff\x00"+x.actor)
}

// acquireImage is Acquire for an upload: one at a time for a caller and a few for a shop, so that
// neither occupies the queue of the one decoder.
func (x *exchange) acquireImage(l *workLimits) (release func(), err error) {
	leaveCaller, err := x.acquire(&x.deadline, &l.images, x.shop.UID()+"\x00staff\x00"+x.actor)
	if err != nil {
		return nil, err
	}
	leaveShop, err := x.acquire(&x.deadline, &l.shopImages, x.shop.UID())
	if err != nil {
		leaveCaller()
		return nil, err
	}
	return func() { leaveShop(); leaveCaller() }, nil
}

// chargeStaff counts a call of the exchange's API key or session. Codes: rate_limited.
func (x *exchange) chargeStaff() error {
	l := x.server.limits
	credential := x.caller.Bearer + "\x00" + x.caller.Session
	if l == nil || credential == "\x00" {
		return nil
	}
	return x.chargeCredential(l.staff, credential)
}

// chargeCredential counts a call of an API key or a session. Codes: rate_limited.
func (x *exchange) chargeCredential(l *rateLimiter, credential string) error {
	sum := sha256.Sum256([]byte(credential))
	if wait := l.allow(string(sum[:]), 1, x.server.cfg.Now()); wait > 0 {
		return x.rateLimited(l, wait, "Too many requests with this API key or session. Wait as long as Retry-After says.")
	}
	return nil
}

// chargePlan is chargeStaff for the calls per second of the shop's plan, if they are fewer. Codes:
// rate_limited.
func (x *exchange) chargePlan() error {
	l := x.server.limits
	credential := x.caller.Bearer + "\x00" + x.caller.Session
	if l == nil || credential == "\x00" {
		return nil
	}
	set, err := x.shop.Settings(&x.deadline)
	if err != nil {
		return err
	}
	if set.Plan == nil || set.Plan.Limits.CallsPerSecond == nil || *set.Plan.Limits.CallsPerSecond >= staffRate {
		return nil
	}
	rate := int(*set.Plan.Limits.CallsPerSecond)
	limiter, ok := l.plans.Load(rate)
	if !ok {
		limiter, _ = l.plans.LoadOrStore(rate, newRateLimiter(rate, rate*staffBurst/staffRate))
	}
	return x.chargeCredential(limiter.(*rateLimiter), x.shop.UID()+"\x00"+credential)
}

// isConfidential reports whether only the client and this server, or a proxy that terminates TLS,
// can read a request: it arrived by TLS, from this machine or through a Unix socket.
func (s *Server) isConfidential(r *http.Request) bool {
	if s.isEncrypted(r) {
		return true
	}
	client, ok := findClient(r, s.cfg.TrustedProxies)
	return !ok || client.IsLoopback()
}

// isEncrypted reports whether the client sent a request over TLS.
func (s *Server) isEncrypted(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(s.cfg.PublicURL, "https:")
}

// Cookies of a session, and of a device at which a staff member has signed in. The prefix of their
// names makes browsers refuse a cookie that was not set over TLS; on loopback there is no prefix.
const (
	sessionCookie  = securePrefix + "sf_admin"
	operatorCookie = securePrefix + "sf_operator"
	deviceCookie   = securePrefix + "sf_device"
	securePrefix   = "__Secure-"
)

// cookieName returns the name of a cookie in a request.
func (s *Server) cookieName(r *http.Request, name string) string {
	if s.isEncrypted(r) {
		return name
	}
	return strings.TrimPrefix(name, securePrefix)
}

// cookieOf returns the value of a cookie of the request, "" if it has none.
func (s *Server) cookieOf(r *http.Request, name string) string {
	cookie, err := r.Cookie(s.cookieName(r, name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SetSession implements [admin.Exchange]. The session is also for the paths of the shop's images,
// since images of unpublished products are for staff.
func (x *exchange) SetSession(session, device string) {
	if x.shop.UID() == tenants.Installation {
		x.setCookie(operatorCookie, session, operatorPath, operatorMaxAge)
		x.setCookie(deviceCookie, device, operatorPath, cookieMaxAge)
		return
	}
	x.setCookie(sessionCookie, session, x.shopPath(), cookieMaxAge)
	x.setCookie(deviceCookie, device, x.shopPath(), cookieMaxAge)
	x.setCookie(sessionCookie, session, x.imagePath(), cookieMaxAge)
}

// EndSession implements [admin.Exchange].
func (x *exchange) EndSession() {
	if x.shop.UID() == tenants.Installation {
		x.setCookie(operatorCookie, "", operatorPath, -1)
		return
	}
	x.setCookie(sessionCookie, "", x.shopPath(), -1)
	x.setCookie(sessionCookie, "", x.imagePath(), -1)
}

// SetVisit implements [admin.Exchange].
func (x *exchange) SetVisit(uid, token string) {
	maxAge := int(staff.VisitTime / time.Second)
	x.setCookie(sessionCookie, token, admin.Prefix+"shops/"+uid, maxAge)
	x.setCookie(sessionCookie, token, "/media/"+uid, maxAge)
}

// Shops implements [admin.Exchange].
func (x *exchange) Shops() admin.Shops { return x.server.cfg.Tenants }

// operatorPath is the path of the cookies of operators, which are sent to no shop.
var operatorPath = strings.TrimSuffix(admin.OperatorPrefix, "/")

// operatorMaxAge is the time for which a browser stores the session of an operator, in seconds.
const operatorMaxAge = 12 * 60 * 60

func (x *exchange) shopPath() string  { return admin.Prefix + "shops/" + x.shop.UID() }
func (x *exchange) imagePath() string { return "/media/" + x.shop.UID() }

// cookieMaxAge is the time for which a browser stores the cookies, in seconds: the longest life of
// a session, and the time for which a device is known.
const cookieMaxAge = 90 * 24 * 60 * 60

func (x *exchange) setCookie(name, value, path string, maxAge int) {
	http.SetCookie(x, &http.Cookie{
		Name: x.server.cookieName(x.request, name), Value: value, Path: path, MaxAge: maxAge,
		HttpOnly: true, Secure: x.server.isEncrypted(x.request), SameSite: http.SameSiteStrictMode,
	})
}

// SiteOrigin implements [admin.Exchange].
func (x *exchange) SiteOrigin(ctx context.Context) (string, error) {
	own, err := x.shop.Site(ctx)
	if err != nil {
		return "", err
	}
	origin, domain := x.server.siteOrigin(x.shop.UID(), own, "")
	if host := x.request.Host; domain == "" && x.server.sites.isElsewhere(host) {
		if origin = ""; x.server.isMainShop(x.shop.UID()) {
			origin = x.server.sites.scheme + host
		}
	}
	if origin == "" || !own.Enabled {
		return "", &fault.Error{
			Code: fault.CodeStateConflict, Message: "The shop has no site at this server yet: enter a domain under Settings, Domains, and let it lead here.",
		}
	}
	return origin, nil
}

// SetupNeeded implements [admin.Exchange].
func (x *exchange) SetupNeeded(ctx context.Context) (bool, error) {
	return x.server.cfg.Tenants.SetupNeeded(ctx)
}

// HostShop implements [admin.Exchange].
func (x *exchange) HostShop(ctx context.Context) (*shop.Shop, error) {
	uid, _ := x.server.siteOwner(requestHost(x.request))
	return x.server.cfg.Tenants.FindIncludingSuspended(ctx, uid)
}

// SetUp implements [admin.Exchange].
func (x *exchange) SetUp(ctx context.Context, in tenants.SetupInput) (session *staff.SignedIn, err error) {
	x.shop, session, err = x.server.cfg.Tenants.SetUp(ctx, x.caller, in)
	return session, err
}

// SetSettings implements [admin.Exchange].
func (x *exchange) SetSettings(
	ctx context.Context, changes map[string]json.RawMessage, check func(shop.StaffSettings) error,
) (*shop.StaffSettings, error) {
	return x.server.cfg.Tenants.SetSettings(ctx, x.caller, x.shop.UID(), changes, check)
}

// Now implements [admin.Exchange].
func (x *exchange) Now() time.Time { return x.server.cfg.Now() }

// Version implements [admin.Exchange].
func (x *exchange) Version() string { return x.server.cfg.Version }

// unsendable reports whether forms cannot send a media type.
func unsendable(mediaType string) bool {
	return mediaType == "application/json" || mediaType == "text/csv" || mediaType == workbookType || strings.HasPrefix(mediaType, "image/")
}

// checkSameOrigin refuses a changing request that a page of another origin may have made the
// browser send. A request with a cookie must also have a content type that no form can send. Codes:
// forbidden, unsupported_media_type.
func checkSameOrigin(r *http.Request, hasCookie bool) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	var protection http.CrossOriginProtection
	if err := protection.Check(r); err != nil {
		return &fault.Error{Code: fault.CodeForbidden, Message: "A page of another site sent this request. Use the dashboard, or an API key.", Err: err}
	}
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if mediaType = strings.ToLower(strings.TrimSpace(mediaType)); hasCookie && !unsendable(mediaType) {
		return fault.Errorf(fault.CodeUnsupportedMediaType,
			"Send Content-Type: application/json with a session, even without a body. "+
				"A file has its own, such as text/csv or image/jpeg.")
	}
	return nil
}

var _ admin.Exchange = (*exchange)(nil)
