package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop/fault"
)

// bodyFlag is the flag with the file of an operation's body.
const bodyFlag = "body"

// operationInputs are the flags of an operation.
type operationInputs struct {
	inputs []operationInput
	body   string // the file of a whole body, "" for none
}

// operationInput is an input with its flag.
type operationInput struct {
	server.Input
	flag   string
	values *[]string
}

// addInputs adds the flags of an operation to its command.
func (a *app) addInputs(
	cmd *cobra.Command, o *admin.Operation, inputs []server.Input,
) (*operationInputs, error) {
	in := &operationInputs{}
	flags := cmd.Flags()
	flags.SetNormalizeFunc(
		func(_ *pflag.FlagSet, name string) pflag.NormalizedName { return pflag.NormalizedName(flagName(name)) },
	)
	takesBody := o.Method != "GET" && o.Method != "DELETE"
	if takesBody {
		flags.StringVar(&in.body, bodyFlag, "", "file with the whole body, or - for the standard input")
		cobra.CheckErr(cmd.MarkFlagFilename(bodyFlag))
	}
	for _, input := range inputs {
		name := flagName(input.Name)
		if input.In == "body" && flags.Lookup(name) != nil { // the path has the record's current identifier
			name = "new-" + name
		}
		if a.sharedFlags.Lookup(name) != nil || flags.Lookup(name) != nil {
			return nil, fmt.Errorf("operation %s: two flags have the name --%s", o.ID, name)
		}
		in.inputs = append(in.inputs, operationInput{input, name, addInput(cmd, input, name)})
		if input.Required && input.In != "body" { // a body may be read from a file
			cobra.CheckErr(cmd.MarkFlagRequired(name))
		}
	}
	cmd.Example = in.example(o)
	return in, nil
}

// addInput adds the flag of an input, and returns where its values are when the flag is set.
func addInput(cmd *cobra.Command, input server.Input, flag string) (values *[]string) {
	values = &[]string{}
	cmd.Flags().Var(&inputValue{input, values}, flag, flagUsage(input))
	if input.Type == "boolean" {
		cmd.Flags().Lookup(flag).NoOptDefVal = "true"
	}
	if len(input.Values) > 0 {
		complete := cobra.FixedCompletions(input.Values, cobra.ShellCompDirectiveNoFileComp)
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, complete))
	}
	return values
}

// flagName returns the flag of an input: order-id for orderId.
func flagName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// flagUsage returns the usage text of an input's flag.
func flagUsage(in server.Input) string {
	text, _, _ := strings.Cut(in.Description, "\n") // the values of an enumeration are appended
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		if second, _ := utf8.DecodeRuneInString(text[size:]); !unicode.IsUpper(second) {
			text = string(unicode.ToLower(first)) + text[size:]
		}
	}
	text = strings.TrimSuffix(text, ".")
	if len(in.Values) > 0 {
		text = strings.TrimPrefix(text+"; one of "+strings.Join(in.Values, ", "), "; ")
	}
	if in.Type == "array" && in.Items != "object" {
		text = strings.TrimPrefix(text+"; repeatable", "; ")
	}
	return text
}

// inputValue is the value of an input's flag, as written.
type inputValue struct {
	input  server.Input
	values *[]string
}

func (v *inputValue) String() string { return "" } // flags have no defaults

func (v *inputValue) Type() string {
	if name, ok := map[string]string{"object": "json", "boolean": "bool", "integer": "int", "": "value"}[v.kind()]; ok {
		return name
	}
	return v.kind()
}

// kind returns the type of the value, or of one of several values; "" means any JSON, or a text.
func (v *inputValue) kind() string {
	if v.input.Type == "array" {
		return v.input.Items
	}
	return v.input.Type
}

func (v *inputValue) Set(text string) error {
	if kind := v.kind(); kind != "string" && kind != "" && !json.Valid([]byte(text)) {
		kinds := map[string]string{
			"object":  "JSON",
			"boolean": "true or false",
			"integer": "a whole number",
			"number":  "a number",
		}
		return errors.New("must be " + kinds[kind])
	}
	if v.input.Type != "array" || v.input.Items == "object" {
		*v.values = nil
	}
	*v.values = append(*v.values, text)
	return nil
}

// build returns the request of the flags that were set.
func (in *operationInputs) build(cmd *cobra.Command) (request server.AdminRequest, err error) {
	request = server.AdminRequest{Path: map[string]string{}, Query: url.Values{}}
	body := map[string]any{}
	var set []string // flags of the body
	for _, input := range in.inputs {
		flag, values := input.flag, *input.values
		if !cmd.Flags().Changed(flag) {
			continue
		}
		switch input.In {
		case "path":
			if request.Path[input.Name] = values[0]; values[0] == "" || strings.ContainsAny(values[0], "/{}") {
				return request, fmt.Errorf("--%s must be the identifier of one record", flag)
			}
		case "query":
			request.Query[input.Name] = values
		default:
			set = append(set, "--"+flag)
			body[input.Name] = bodyValue(input.Input, values)
		}
	}
	if in.body != "" && len(set) > 0 {
		return request, fmt.Errorf(
			"--%s and %s cannot be combined: the file is the whole body", bodyFlag, strings.Join(set, ", "),
		)
	}
	if len(set) > 0 {
		request.Body, err = json.Marshal(body)
	}
	return request, err
}

// withFlag adds to an error about one input the input's flag.
func (in *operationInputs) withFlag(err error) error {
	invalid, ok := errors.AsType[*fault.Error](err)
	if !ok || len(invalid.Fields) != 1 || invalid.Err != nil {
		return err
	}
	name := invalid.Fields[0].Field
	for _, input := range in.inputs {
		if name == input.Name {
			named := *invalid
			named.Message = "--" + input.flag + ": " + invalid.Fields[0].Message
			return &named
		}
	}
	return err
}

// bodyValue returns a property of a body.
func bodyValue(in server.Input, values []string) any {
	if in.Nullable && values[0] == "null" {
		return nil
	}
	one := func(text, kind string) any {
		if kind == "string" || kind == "" && !json.Valid([]byte(text)) {
			return text
		}
		return json.RawMessage(text)
	}
	if in.Type != "array" || in.Items == "object" {
		return one(values[0], in.Type)
	}
	list := make([]any, len(values))
	for i, text := range values {
		list[i] = one(text, in.Items)
	}
	return list
}

// example returns a command line with the examples of the reference.
func (in *operationInputs) example(o *admin.Operation) string {
	line := "  storefront api acme " + o.ID
	hasExample := slices.ContainsFunc(
		in.inputs, func(i operationInput) bool { return i.In == "body" && i.Example != nil },
	)
	for _, input := range in.inputs {
		example := plainValue(input.Example)
		if example == nil || input.In == "query" && !input.Required {
			continue
		}
		values, isList := example.([]any)
		if !isList || input.Items == "object" {
			values = []any{example}
		}
		separator := " "
		if input.Type == "boolean" {
			separator = "="
		}
		for _, value := range values {
			line += " --" + input.flag + separator + shellWord(value)
		}
	}
	if o.CSV || o.Image || o.Example != nil && !hasExample && len(in.inputs) == 0 {
		line += " --body FILE"
	}
	return line
}

// plainValue returns the decoded JSON of a value, nil if it is invalid.
func plainValue(value any) (plain any) {
	encoded, err := json.Marshal(value)
	if err != nil || json.Unmarshal(encoded, &plain) != nil {
		return nil
	}
	return plain
}

// shellWord returns a value as one word of a shell.
func shellWord(value any) string {
	text, isText := value.(string)
	if !isText {
		encoded, err := json.Marshal(value)
		if err != nil {
			return "…"
		}
		text = string(encoded)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/@+=,", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
