package server

import (
	"cmp"
	_ "embed"
	"net/http"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/danielgtaylor/huma/v2"

	"storefront/graphql"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/transport"
)

// The names of the Admin API's security schemes.
const (
	schemeAPIKey  = "apiKey"
	schemeSession = "session"
)

//go:embed reference/admin.md
var adminGuideText string

var adminGuide = template.Must(template.New("admin").Parse(adminGuideText))

// newAdminGuide returns the introduction of the Admin API's document.
func newAdminGuide() string {
	codes := make([]guideCode, 0, len(fault.Codes()))
	for _, info := range fault.Codes() {
		codes = append(codes, guideCode{info, transport.Status(info.Code)})
	}
	type permission struct {
		Name   access.Permission
		Grants []string // by role
		Scope  bool     // an API key can have it
	}
	grant := func(p access.Permission, has bool) string {
		switch {
		case has && staff.NeedsProof(p):
			return "with proof"
		case has:
			return "yes"
		}
		return "–"
	}
	permissions := make([]permission, 0, len(access.Permissions()))
	for _, p := range access.Permissions() {
		row := permission{Name: p, Scope: slices.Contains(staff.Scopes(), p)}
		for _, role := range staff.Roles() {
			row.Grants = append(row.Grants, grant(p, role.Has(p)))
		}
		permissions = append(permissions, row)
	}
	ofOperators := make([]permission, 0, len(access.InstallationPermissions()))
	for _, p := range access.InstallationPermissions() {
		row := permission{Name: p}
		for _, role := range staff.OperatorRoles() {
			row.Grants = append(row.Grants, grant(p, slices.Contains(role.Permissions(), p)))
		}
		ofOperators = append(ofOperators, row)
	}
	var b strings.Builder
	if err := adminGuide.Execute(&b, struct {
		Rate, Burst   int
		Roles         []staff.Role
		Permissions   []permission
		OperatorRoles []staff.OperatorRole
		OfOperators   []permission
		Codes         []guideCode
	}{staffRate, staffBurst, staff.Roles(), permissions, staff.OperatorRoles(), ofOperators, codes}); err != nil {
		panic(err) // the guide is embedded in the program
	}
	return b.String()
}

func newAdminOpenAPI(cfg Config) *huma.OpenAPI {
	doc := &huma.OpenAPI{
		Servers:    []*huma.Server{{URL: cmp.Or(strings.TrimSuffix(cfg.PublicURL, "/"), "/")}},
		OpenAPI:    "3.1.0",
		Info:       &huma.Info{Title: "Storefront Admin API", Version: APIVersion, Description: newAdminGuide()},
		Components: newComponents(),
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeAPIKey: {Type: "http", Scheme: "bearer", Description: "An API key of the shop: sfa_…"},
		schemeSession: {Type: "apiKey", In: "cookie", Name: sessionCookie,
			Description: "The session of a staff member, set by signing in; over loopback without TLS the cookie is sf_admin"},
	}
	for _, tag := range admin.Tags() {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: tag.Name, Description: tag.Description})
	}
	return doc
}

// AdminOpenAPI returns the document of the Admin API of a server with this configuration. Tenants
// may be nil.
func AdminOpenAPI(cfg Config) (*Document, error) {
	s := newServer(cfg)
	s.api = newAPI(newAdminOpenAPI(s.cfg), nowhere{})
	enums, err := graphql.Enums()
	if err != nil {
		return nil, err
	}
	if err := s.registerAdmin(admin.Operations()); err != nil {
		return nil, err
	}
	if err := completeAdminDocument(s.api.OpenAPI(), enums); err != nil {
		return nil, err
	}
	return newDocument(s.api.OpenAPI())
}

// completeAdminDocument completes the document where huma cannot derive it from the operations.
// Requests must not be validated with it: the domain checks their content.
func completeAdminDocument(doc *huma.OpenAPI, types map[string]transport.Enum) error {
	enums := newAdminEnumSchemas(types)
	completeResponseSchemas(doc, enums)
	parameters := map[string]*admin.Operation{}
	for _, o := range admin.Operations() {
		parameters[o.ID] = &o
	}
	for _, op := range allOperations(doc) {
		for _, p := range op.Parameters {
			if typ := parameters[op.OperationID].ParameterType(p.Name); typ != nil {
				enums.replace(p.Schema, typ, false)
			}
		}
		if !strings.Contains(op.Path, "{tenant}") {
			continue
		}
		op.Parameters = append([]*huma.Param{{
			Name: "tenant", In: "path", Required: true, Description: "The shop's UID", Example: "demo", Schema: textSchema(""),
		}}, op.Parameters...)
	}
	enums.addTo(doc)
	return addResponseExamples(doc, adminExamples)
}

// routeAdminDocument adds the document of the Admin API and its reference page.
func (s *Server) routeAdminDocument() {
	document := sync.OnceValues(func() (*Document, error) { return AdminOpenAPI(Config{PublicURL: s.cfg.PublicURL}) })
	s.routeLazy("/admin/openapi.json", func() (http.Handler, error) {
		d, err := document()
		if err != nil {
			return nil, err
		}
		return staticPage("application/openapi+json", d.JSON, ""), nil
	})
	s.routeLazy("/admin/openapi.yaml", func() (http.Handler, error) {
		d, err := document()
		if err != nil {
			return nil, err
		}
		return staticPage("application/openapi+yaml", d.YAML, ""), nil
	})
	s.routeLazy("/admin/docs", func() (http.Handler, error) {
		return s.newReference(referencePage{Title: "Storefront Admin API reference", Document: "/admin/openapi", Admin: true})
	})
}
