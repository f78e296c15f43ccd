package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/staff"
)

// Each action of an operator on a shop is authorized and logged in the [Installation], then done in
// the shop as the operator, whom the shop's audit log names. The log comes first: an action in it
// may have failed, but nothing is done without it.

// act authorizes a use case of operators on a shop, and writes it to the log of the installation.
func (t *Tenants) act(
	ctx context.Context, caller access.Caller, use access.UseCase, uid, label string, changes ...access.Change,
) (*staff.SignedOperator, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	return s.Staff.RecordAsOperator(ctx, caller, use, access.Subject{Kind: access.SubjectShop, ID: uid, Label: label}, changes...)
}

// permit authorizes a use case of operators that only reads.
func (t *Tenants) permit(ctx context.Context, caller access.Caller, use access.UseCase) error {
	s, err := t.Installation(ctx)
	if err != nil {
		return err
	}
	return s.Staff.PermitOperator(ctx, caller, use)
}

// actOn is act for an existing shop, which it returns.
func (t *Tenants) actOn(
	ctx context.Context, caller access.Caller, use access.UseCase, uid string, changes ...access.Change,
) (*shop.Shop, *staff.SignedOperator, error) {
	if err := t.permit(ctx, caller, use); err != nil { // who may not do this does not find out which shops exist
		return nil, nil, err
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, nil, err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	by, err := t.act(ctx, caller, use, uid, set.Name, changes...)
	return s, by, err
}

// SuspendInput is the input of [Tenants.SuspendShop].
type SuspendInput struct {
	Reason string `json:"reason" doc:"For staff members"`
	Text   string `json:"text,omitempty" doc:"For buyers; a general one if left out"`
}

// SuspendShop suspends a shop with a reason that its staff members read. Codes: tenant_not_found,
// validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) SuspendShop(ctx context.Context, caller access.Caller, uid string, in SuspendInput) error {
	var bad fault.Invalid
	if input.IsBlank(&in.Reason) {
		bad.Add("reason", fault.CodeRequired, "A reason is required: staff members of the shop read it.")
	}
	as := shop.Suspension{Reason: in.Reason, Text: in.Text}
	if as.Check(&bad); bad.Err() != nil {
		return bad.Err()
	}
	s, by, err := t.actOn(ctx, caller, access.ToSuspendShop, uid, access.Set("reason", as.Reason))
	if err != nil {
		return err
	}
	_, err = s.Suspend(ctx, by.Caller(), as)
	t.overview.expire()
	return err
}

// ResumeShop ends the suspension of a shop. Codes: tenant_not_found, state_conflict (no operator
// has suspended it), unauthenticated, forbidden, proof_required.
func (t *Tenants) ResumeShop(ctx context.Context, caller access.Caller, uid string) error {
	if err := t.permit(ctx, caller, access.ToResumeShop); err != nil {
		return err
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	if set.Suspension == nil {
		return fault.Errorf(fault.CodeStateConflict, "No operator has suspended this shop.")
	}
	by, err := t.act(ctx, caller, access.ToResumeShop, uid, set.Name)
	if err != nil {
		return err
	}
	_, err = s.Resume(ctx, by.Caller())
	t.overview.expire()
	return err
}

// NewShopInput is the input of [Tenants.CreateShop].
type NewShopInput struct {
	UID      string         `json:"uid"`
	Name     string         `json:"name"`
	Currency string         `json:"currency" doc:"ISO 4217"`
	Country  string         `json:"country" doc:"ISO 3166, two letters"`
	Language staff.Language `json:"language" doc:"Of the shop, and of the owner's dashboard"`
	Owner    NewOwner       `json:"owner"`
	// Like is the UID of the template: a shop with the same currency.
	Like          *string `json:"like,omitempty" doc:"UID of a shop whose settings, texts and design it receives"`
	WithCatalogue bool    `json:"withCatalogue,omitempty" doc:"Also the products and collections of like"`
	Plan          *string `json:"plan,omitempty" doc:"Name of its plan; requires the permission plans.write"`
}

// NewOwner is a person who becomes an owner of a shop.
type NewOwner struct {
	Name string `json:"name"`
	User string `json:"user" doc:"E-mail address or phone number"`
}

// invitation returns the input that invites the person.
func (o NewOwner) invitation(language *staff.Language) staff.InviteInput {
	in := staff.InviteInput{Name: o.Name, Role: staff.RoleOwner, Language: language}
	if strings.Contains(o.User, "@") {
		in.Email = &o.User
	} else {
		in.PhoneNumber = &o.User
	}
	return in
}

// OwnerLink is the link with which an owner of a shop sets a password.
type OwnerLink struct {
	UID   string       `json:"uid"`
	Owner staff.Member `json:"owner"`
	Link  staff.Link   `json:"link" doc:"To send by any messenger"`
}

// CreateShop creates a shop, and invites its owner. Codes: validation_failed, shop_exists,
// unauthenticated, forbidden, proof_required.
func (t *Tenants) CreateShop(ctx context.Context, caller access.Caller, in NewShopInput) (*OwnerLink, error) {
	if err := t.permit(ctx, caller, access.ToCreateShop); err != nil {
		return nil, err
	}
	settings := map[string]json.RawMessage{}
	for name, value := range map[string]string{
		"name": in.Name, "currency": in.Currency, "country": in.Country, "locale": string(in.Language) + "-" + strings.ToUpper(in.Country),
	} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		settings[name] = encoded
	}
	var bad fault.Invalid
	input.CheckName(&bad, "owner.name", in.Owner.Name)
	if input.IsBlank(&in.Owner.User) {
		bad.Add("owner.user", fault.CodeRequired, "The owner's e-mail address or phone number is required.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	owner := in.Owner.invitation(&in.Language)
	created := shop.NewShop{Settings: settings, Owner: &owner}
	changes := []access.Change{access.Set("owner", in.Owner.User)}
	if in.Like != nil {
		var err error
		if created.Template, err = t.templateOf(ctx, in); err != nil {
			return nil, err
		}
		changes = append(changes, access.Set("like", *in.Like))
	}
	if in.Plan != nil {
		if err := t.permit(ctx, caller, access.ToAssignPlan); err != nil {
			return nil, err
		}
		var err error
		if settings["plan"], err = t.PlanSetting(ctx, *in.Plan); err != nil {
			return nil, err
		}
		changes = append(changes, access.Set("plan", *in.Plan))
	}
	if _, err := t.CheckNew(ctx, access.Operator(), in.UID, created); err != nil {
		return nil, shopExists(err)
	}
	by, err := t.act(ctx, caller, access.ToCreateShop, in.UID, in.Name, changes...)
	if err != nil {
		return nil, err
	}
	done, err := t.CreateNew(ctx, by.Caller(), in.UID, created)
	if err != nil {
		return nil, shopExists(err)
	}
	t.overview.expire()
	return &OwnerLink{in.UID, *done.Owner, *done.Link}, nil
}

// templateOf returns the template of a new shop. Codes: validation_failed.
func (t *Tenants) templateOf(ctx context.Context, in NewShopInput) (*shop.Template, error) {
	template, err := t.ReadTemplate(ctx, *in.Like, in.WithCatalogue)
	if fault.HasCode(err, fault.CodeTenantNotFound) || *in.Like == Installation {
		var bad fault.Invalid
		bad.Add("like", fault.CodeInvalidValue, "There is no such shop.")
		return nil, bad.Err()
	}
	return template, err
}

// shopExists returns the error of creating a shop for an API.
func shopExists(err error) error {
	if errors.Is(err, db.ErrExists) {
		return fault.Errorf(fault.CodeShopExists, "Another shop has this UID.")
	}
	return err
}

// InviteOwner creates a link for an owner of a shop. A person without an account becomes a further
// owner, who can replace an earlier one. A member with another role is
// refused. Codes: tenant_not_found, state_conflict, validation_failed, unauthenticated, forbidden,
// proof_required.
func (t *Tenants) InviteOwner(ctx context.Context, caller access.Caller, uid string, in NewOwner) (*OwnerLink, error) {
	s, by, err := t.actOn(ctx, caller, access.ToInviteOwner, uid, access.Set("owner", in.User))
	if err != nil {
		return nil, err
	}
	found, err := s.Staff.FindMember(ctx, by.Caller(), in.User)
	var m *staff.Member
	var link *staff.Link
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		m, link, err = s.Staff.InviteMember(ctx, by.Caller(), in.invitation(nil))
	case err != nil:
	case found.Role != staff.RoleOwner:
		err = fault.Errorf(fault.CodeStateConflict, "This person works for the shop and is not an owner: an owner can change the role.")
	default:
		m, link, err = s.Staff.CreateLink(ctx, by.Caller(), found.ID)
	}
	if err != nil {
		return nil, err
	}
	return &OwnerLink{uid, *m, *link}, nil
}

// EnteredShop is a new visit to a shop. The token is returned once, and must go into the cookie of
// the shop's sessions.
type EnteredShop struct {
	Token string `json:"-"`
	UID   string `json:"uid"`
	staff.Visit
}

// EnterShop creates a session in a shop for an operator, with a reason that its staff members read.
// Codes: tenant_not_found, validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) EnterShop(ctx context.Context, caller access.Caller, uid, reason string) (*EnteredShop, error) {
	reason, err := staff.CheckVisitReason(reason)
	if err != nil {
		return nil, err
	}
	s, by, err := t.actOn(ctx, caller, access.ToEnterShop, uid, access.Set("reason", reason))
	if err != nil {
		return nil, err
	}
	token, visit, err := s.Staff.BeginVisit(ctx, caller, by, reason)
	if err != nil {
		return nil, err
	}
	return &EnteredShop{token, uid, *visit}, nil
}

// ShopDetails is a shop as operators see it.
type ShopDetails struct {
	ShopRow
	Locale     string            `json:"locale"`
	Suspension *shop.Suspension  `json:"suspension" doc:"null: no operator has suspended the shop"`
	Owners     []ShopOwner       `json:"owners" nullable:"false"`
	Visits     []staff.Visit     `json:"visits" nullable:"false" doc:"Operators who are in the shop now"`
	Summary    *shop.ShopSummary `json:"summary" doc:"The shop's open work and sales"`
	Movable    bool              `json:"movable" doc:"Whether it can be moved between files and PostgreSQL"`
	PlanUse    *shop.ShopPlan    `json:"planUse" doc:"Its plan, and how much of it is used"`
}

// ShopOwner is an owner of a shop.
type ShopOwner struct {
	Name   string       `json:"name"`
	User   string       `json:"user"`
	Status staff.Status `json:"status"`
}

// FindShop returns a shop with its owners and its open work. Codes: tenant_not_found,
// unauthenticated, forbidden.
func (t *Tenants) FindShop(ctx context.Context, caller access.Caller, uid string) (*ShopDetails, error) {
	if err := t.permit(ctx, caller, access.ToFindShop); err != nil {
		return nil, err
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	t.overview.expire()
	rows, err := t.shopRows(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r ShopRow) bool { return r.UID == uid })
	if i < 0 {
		return nil, notFound()
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	found := &ShopDetails{ShopRow: t.measured(ctx, rows[i]), Locale: set.Locale, Suspension: set.Suspension, Owners: []ShopOwner{}}
	found.Movable = t.engines != nil
	if found.Summary, err = s.FindSummary(ctx, access.Operator()); err != nil {
		return nil, err
	}
	if found.PlanUse, err = s.FindPlan(ctx, access.Operator()); err != nil {
		return nil, err
	}
	if found.Visits, err = s.Staff.ListVisits(ctx, access.Operator()); err != nil {
		return nil, err
	}
	members, err := s.Staff.ListMembers(ctx, access.Operator())
	for _, m := range members {
		if m.Role == staff.RoleOwner {
			user := db.TextOf(m.Email)
			if user == "" {
				user = db.TextOf(m.PhoneNumber)
			}
			found.Owners = append(found.Owners, ShopOwner{m.Name, user, m.Status})
		}
	}
	return found, err
}

// FindHealth returns the state of the server. Codes: unauthenticated, forbidden.
func (t *Tenants) FindHealth(ctx context.Context, caller access.Caller) (*ServerStatus, error) {
	if err := t.permit(ctx, caller, access.ToFindHealth); err != nil {
		return nil, err
	}
	status := t.ServerStatus(ctx, 0, t.backups.Load() != nil)
	status.MissingCertificates = []MissingCertificate{}
	return &status, nil
}
