package graphql

import (
	"context"
	"encoding/json"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

// PluginWebhookUrls returns the URLs at which the providers reach the shop.
func (*query) PluginWebhookUrls(ctx context.Context) (*[]shop.WebhookURL, error) {
	r, err := begin(ctx, costOne)
	if err != nil {
		return nil, err
	}
	urls := r.shop.WebhookURLs()
	return &urls, nil
}

// Plugins returns the plugins of all providers.
func (*query) Plugins(ctx context.Context) (*[]pluginResolver, error) {
	r, release, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer release()
	done, err := r.identifyStaff(ctx)
	if err != nil {
		return nil, err
	}
	found, err := r.shop.ListPlugins(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	done("plugins")
	all := convert(found, newPlugin)
	return &all, nil
}

// PluginConfigure changes the settings of a plugin.
func (*mutation) PluginConfigure(ctx context.Context, args struct {
	Provider plugin.Provider
	Settings JSON
}) (*pluginResolver, error) {
	r, done, err := beginStaff(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	var changes map[string]json.RawMessage
	if err := json.Unmarshal(args.Settings.text, &changes); err != nil {
		return nil, err
	}
	status, err := r.shop.ConfigurePlugin(ctx, r.caller, args.Provider, changes)
	if err != nil {
		return nil, err
	}
	done("plugin__configure " + string(args.Provider))
	p := newPlugin(status)
	return &p, nil
}

// PluginValidateCourier checks a plugin's settings and credentials.
func (*mutation) PluginValidateCourier(ctx context.Context, args struct{ Provider plugin.Provider }) (*pluginReport, error) {
	r, done, err := beginStaff(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	report, err := r.shop.ValidatePlugin(ctx, r.caller, args.Provider)
	if err != nil {
		return nil, err
	}
	done("plugin__validateCourier " + string(args.Provider))
	return &pluginReport{Provider: report.Provider, Mode: report.Mode, Valid: report.Valid, Checks: report.Checks}, nil
}

type pluginResolver struct {
	Provider        plugin.Provider
	Mode            plugin.Mode
	Configured      bool
	Settings        []shop.PluginSetting
	Capabilities    []pluginCapability
	Connection      connection
	Practice        bool
	RefusedWebhooks []refusedWebhook
}

type connection struct {
	State       shop.ConnectionState
	CheckedAt   *graphqlgo.Time
	ProvedAt    *graphqlgo.Time
	Words       *string
	RequestID   *graphqlgo.ID
	NextCheckAt *graphqlgo.Time
}

type refusedWebhook struct {
	Provider plugin.Provider
	Reason   string
	Calls    int32
	At       graphqlgo.Time
}

type pluginCapability struct {
	Name    plugin.Capability
	Ready   bool
	Missing []string
}

type pluginReport struct {
	Provider plugin.Provider
	Mode     plugin.Mode
	Valid    bool
	Checks   []shop.PluginCheck
}

func newPlugin(p *shop.PluginStatus) pluginResolver {
	return pluginResolver{
		Provider: p.Provider, Mode: p.Mode, Configured: p.Configured, Settings: p.Settings,
		Capabilities: convert(p.Capabilities, func(c *shop.PluginCapability) pluginCapability {
			return pluginCapability{Name: c.Name, Ready: c.Ready, Missing: c.Missing}
		}),
		Connection: connection{
			State: p.Connection.State, CheckedAt: newNullTime(p.Connection.CheckedAt), ProvedAt: newNullTime(p.Connection.ProvedAt),
			Words: p.Connection.Words, RequestID: (*graphqlgo.ID)(p.Connection.RequestID), NextCheckAt: newNullTime(p.Connection.NextCheckAt),
		},
		Practice: p.Practice,
		RefusedWebhooks: convert(p.Refused, func(r *inbox.RefusedWebhook) refusedWebhook {
			return refusedWebhook{Provider: r.Provider, Reason: r.Reason, Calls: toInt(r.Received), At: newTime(r.At)}
		}),
	}
}
