package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// agentTool is an operation of the Admin API as a tool of an agent; see
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools.
type agentTool struct {
	*mcp.Tool
	operation admin.Operation
	path      map[string]bool // the arguments in the path; others are in the query, but for bodyArgument
}

// bodyArgument is the argument with the JSON body of an operation.
const bodyArgument = "body"

// agentTools returns the tools of all operations that agents can use, sorted as the operations.
var agentTools = sync.OnceValues(func() ([]agentTool, error) {
	text, err := AdminOpenAPI(Config{})
	if err != nil {
		return nil, err
	}
	doc := &adminDocument{}
	if err := json.Unmarshal(text.JSON, doc); err != nil {
		return nil, err
	}
	var tools []agentTool
	for _, o := range admin.Operations() {
		if !isForAgents(&o) {
			continue
		}
		tool, err := doc.tool(o)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", o.ID, err)
		}
		tools = append(tools, tool)
	}
	return tools, nil
})

// isForAgents reports whether an operation is a tool: one on a shop, with JSON, which neither
// needs the session of a person nor returns a secret.
func isForAgents(o *admin.Operation) bool {
	isPersonal := o.Use.Permission == access.Own || o.Use.Permission == access.Anybody
	return !isPersonal && !o.OfServer && !o.OfInstallation && !o.Stream && !o.Image && !o.CSV && !o.Secret
}

// adminDocument is the part of the Admin API's document that tools need.
type adminDocument struct {
	Paths      map[string]map[string]documentedOperation `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

type documentedOperation struct {
	Parameters []struct {
		Name        string         `json:"name"`
		In          string         `json:"in"`
		Description string         `json:"description"`
		Required    bool           `json:"required"`
		Schema      map[string]any `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Required bool `json:"required"`
		Content  map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// tool returns an operation as a tool, with a schema that refers to nothing outside.
func (d *adminDocument) tool(o admin.Operation) (agentTool, error) {
	documented := d.Paths[o.Route()][strings.ToLower(o.Method)]
	properties, required, path := map[string]any{}, []string{}, map[string]bool{}
	for _, p := range documented.Parameters {
		if p.Name == "tenant" || p.In != "path" && p.In != "query" {
			continue
		}
		if p.Schema["description"] == nil && p.Description != "" {
			p.Schema["description"] = p.Description
		}
		properties[p.Name], path[p.Name] = p.Schema, p.In == "path"
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if body := documented.RequestBody; body.Content != nil {
		properties[bodyArgument] = body.Content["application/json"].Schema
		if body.Required {
			required = append(required, bodyArgument)
		}
	}
	text, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	if err != nil {
		return agentTool{}, err
	}
	schema, err := d.parseSchema(text)
	if err != nil {
		return agentTool{}, err
	}
	isChange := o.Changes()
	return agentTool{operation: o, path: path, Tool: &mcp.Tool{
		Name: o.ID, Title: o.Summary, Description: strings.TrimSpace(o.Summary + ". " + o.Description), InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: !isChange, DestructiveHint: new(isChange && o.Method != http.MethodPost),
			IdempotentHint: o.Method == http.MethodPut || o.Method == http.MethodDelete, OpenWorldHint: new(o.Provider),
		},
	}}, nil
}

// parseSchema parses a schema of the document, with the schemas that it refers to as definitions.
func (d *adminDocument) parseSchema(text []byte) (*jsonschema.Schema, error) {
	const definitions = "#/$defs/"
	localize := func(text []byte) (*jsonschema.Schema, error) {
		schema := &jsonschema.Schema{}
		err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), `"`+schemaPrefix, `"`+definitions)), schema)
		return schema, err
	}
	schema, err := localize(text)
	if err != nil {
		return nil, err
	}
	schema.Defs = map[string]*jsonschema.Schema{}
	for waiting := [][]byte{text}; len(waiting) > 0; waiting = waiting[1:] {
		for _, part := range strings.Split(string(waiting[0]), `"`+schemaPrefix)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			if schema.Defs[name] != nil {
				continue
			}
			if schema.Defs[name], err = localize(d.Components.Schemas[name]); err != nil {
				return nil, err
			}
			waiting = append(waiting, d.Components.Schemas[name])
		}
	}
	return schema, nil
}

// request returns the request of a call with these arguments.
func (t *agentTool) request(arguments json.RawMessage) (in AdminRequest, err error) {
	in = AdminRequest{Path: map[string]string{}, Query: url.Values{}}
	var all map[string]json.RawMessage
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &all); err != nil {
			return in, fmt.Errorf("the arguments must be a JSON object: %w", err)
		}
	}
	known := t.InputSchema.(*jsonschema.Schema)
	for name, value := range all {
		switch {
		case known.Properties[name] == nil:
			return in, fmt.Errorf("there is no argument %q", name)
		case name == bodyArgument:
			in.Body = value
		case t.path[name]:
			text, err := plainTexts(value)
			if err != nil || len(text) != 1 || text[0] == "" || strings.ContainsAny(text[0], "/{}") {
				return in, fmt.Errorf("%s must be the identifier of one record", name)
			}
			in.Path[name] = text[0]
		default:
			if in.Query[name], err = plainTexts(value); err != nil {
				return in, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for _, name := range known.Required {
		if all[name] == nil {
			return in, fmt.Errorf("the argument %q is required", name)
		}
	}
	return in, nil
}

// plainTexts returns a JSON value, or each of a list, as texts of a query.
func plainTexts(value json.RawMessage) ([]string, error) {
	list := []json.RawMessage{value}
	if strings.HasPrefix(strings.TrimSpace(string(value)), "[") {
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, err
		}
	}
	texts := make([]string, 0, len(list))
	for _, one := range list {
		text := strings.TrimSpace(string(one))
		switch {
		case strings.HasPrefix(text, `"`):
			if err := json.Unmarshal(one, &text); err != nil {
				return nil, err
			}
		case strings.HasPrefix(text, "{"):
			return nil, fmt.Errorf("must not be an object")
		case text == "null":
			continue
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// AgentTools selects the tools of an agent.
type AgentTools struct {
	Changes bool     // also those that change something; otherwise they only read
	Tags    []string // groups of operations, in any case; empty means all
}

// newAgentTools reads the selection from a query.
func newAgentTools(query url.Values) *AgentTools {
	selected := &AgentTools{Changes: query.Get("changes") == "true"}
	for _, text := range query["tags"] {
		selected.Tags = append(selected.Tags, strings.Split(text, ",")...)
	}
	return selected
}

// check checks the tags. Codes: validation_failed.
func (t *AgentTools) check() error {
	var bad fault.Invalid
	known := admin.Tags()
	names := make([]string, len(known))
	for i, tag := range known {
		names[i] = tag.Name
	}
	for _, tag := range t.Tags {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, tag) }) {
			bad.Add("tags", fault.CodeInvalidValue, "Must be of these: %s.", strings.Join(names, ", "))
		}
	}
	return bad.Err()
}

// has reports whether an operation is selected.
func (t *AgentTools) has(o *admin.Operation) bool {
	isTagged := len(t.Tags) == 0 || slices.ContainsFunc(t.Tags, func(tag string) bool { return strings.EqualFold(tag, o.Tag) })
	return isTagged && (t.Changes || !o.Changes())
}
