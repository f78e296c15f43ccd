package graphql

import (
	"context"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/account"
	"storefront/shop/passkey"
)

// Passkeys returns the passkeys of the caller's account.
func (*query) Passkeys(ctx context.Context) (*passkeyList, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := r.shop.Accounts.ListPasskeys(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	return &passkeyList{convert(found.Nodes, newPasskey)}, nil
}

// BeginPasskeySignIn returns options to sign in with a passkey.
func (*mutation) BeginPasskeySignIn(ctx context.Context) (*passkeyRequestOptions, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	return newPasskeyRequestOptions(r.shop.Accounts.BeginPasskeySignIn(ctx, r.caller))
}

// SignInByPasskey signs in with a passkey.
func (*mutation) SignInByPasskey(ctx context.Context, args struct{ Input account.PasskeyProof }) (*authPayload, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newAuthPayload(r.shop.Accounts.SignInByPasskey(ctx, r.caller, args.Input))
}

// BeginPasskeyProof returns options to prove the caller's account.
func (*mutation) BeginPasskeyProof(ctx context.Context) (*passkeyRequestOptions, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	return newPasskeyRequestOptions(r.shop.Accounts.BeginPasskeyProof(ctx, r.caller))
}

// BeginPasskey returns options to create a passkey.
func (*mutation) BeginPasskey(ctx context.Context, args struct{ Input account.ProofInput }) (*passkeyCreationOptions, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return newPasskeyCreationOptions(r.shop.Accounts.BeginPasskey(ctx, r.caller, args.Input))
}

// AddPasskey adds a passkey to the caller's account.
func (*mutation) AddPasskey(ctx context.Context, args struct{ Input account.AddPasskeyInput }) (*passkeyResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	added, err := r.shop.Accounts.AddPasskey(ctx, r.caller, args.Input)
	if err != nil {
		return nil, err
	}
	return new(newPasskey(added)), nil
}

// RenamePasskey renames a passkey of the caller's account.
func (*mutation) RenamePasskey(ctx context.Context, args struct {
	ID   ID
	Name string
}) (*passkeyResolver, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	renamed, err := r.shop.Accounts.RenamePasskey(ctx, r.caller, string(args.ID), account.PasskeyName{Name: args.Name})
	if err != nil {
		return nil, err
	}
	return new(newPasskey(renamed)), nil
}

// RemovePasskey removes a passkey of the caller's account.
func (*mutation) RemovePasskey(ctx context.Context, args struct {
	ID    ID
	Input account.ProofInput
}) (*account.PasskeyRemoved, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	return r.shop.Accounts.RemovePasskey(ctx, r.caller, string(args.ID), args.Input)
}

type passkeyList struct{ Nodes []passkeyResolver }

type passkeyResolver struct {
	ID         ID
	Name       string
	Host       string
	Synced     bool
	CreatedAt  graphqlgo.Time
	LastUsedAt *graphqlgo.Time
}

func newPasskey(p *passkey.Passkey) passkeyResolver {
	return passkeyResolver{ID(p.ID), p.Name, p.Host, p.Synced, newTime(p.CreatedAt), newNullTime(p.LastUsedAt)}
}

type passkeyRequestOptions struct {
	Challenge        string
	RPID             ID
	Timeout          Long
	AllowCredentials []passkey.Descriptor
	UserVerification string
}

func newPasskeyRequestOptions(o *passkey.RequestOptions, err error) (*passkeyRequestOptions, error) {
	if err != nil {
		return nil, err
	}
	return &passkeyRequestOptions{o.Challenge, ID(o.RPID), Long(o.Timeout), o.Allow, o.UserVerification}, nil
}

type passkeyCreationOptions struct {
	RP                     passkey.RelyingParty
	User                   passkey.User
	Challenge              string
	PubKeyCredParams       []passkeyParameter
	Timeout                Long
	ExcludeCredentials     []passkey.Descriptor
	AuthenticatorSelection passkey.Authenticator
	Attestation            string
}

type passkeyParameter struct {
	Type string
	Alg  int32
}

func newPasskeyCreationOptions(o *passkey.CreationOptions, err error) (*passkeyCreationOptions, error) {
	if err != nil {
		return nil, err
	}
	return &passkeyCreationOptions{
		RP: o.RP, User: o.User, Challenge: o.Challenge, Timeout: Long(o.Timeout), ExcludeCredentials: o.Exclude,
		PubKeyCredParams: convert(o.Parameters, func(p *passkey.Parameter) passkeyParameter {
			return passkeyParameter{p.Type, int32(p.Algorithm)}
		}),
		AuthenticatorSelection: o.AuthenticatorSelection, Attestation: o.Attestation,
	}, nil
}
