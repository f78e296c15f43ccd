package graphql_test

import (
	"fmt"
	"strings"
)

// hostile are families of documents that cost the library more than their size: each function
// returns a document of about the given size and its variables.
var hostile = map[string]func(size int) (string, map[string]any){
	"operations x chain of fragments": func(size int) (string, map[string]any) {
		n := size / 46
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "query Q%d{...F0} ", i)
		}
		for i := range n {
			fmt.Fprintf(&b, "fragment F%d on Query{...F%d} ", i, min(i+1, n-1))
		}
		return b.String(), nil
	},
	"ten operations x fifty fragments": func(size int) (string, map[string]any) {
		var b strings.Builder
		for i := range 10 {
			fmt.Fprintf(&b, "query Q%d{...F0} ", i)
		}
		for i := range 49 {
			fields := strings.Repeat("apiVersion ", (size-2000)/600)
			fmt.Fprintf(&b, "fragment F%d on Query{...F%d %s} ", i, i+1, fields)
		}
		b.WriteString("fragment F49 on Query{apiVersion}")
		return b.String(), nil
	},
	"doubling fragments": func(int) (string, map[string]any) {
		var b strings.Builder
		b.WriteString("{...F0} ")
		for i := range 49 {
			fmt.Fprintf(&b, "fragment F%d on Query{...F%d ...F%d} ", i, i+1, i+1)
		}
		b.WriteString("fragment F49 on Query{apiVersion}")
		return b.String(), nil
	},
	"fields of one name": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("apiVersion ", size/11) + "}", nil
	},
	"short fields of one name": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("a ", size/2) + "}", nil
	},
	"nested fields of one name": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("storeFront{socialLinks{url}}", size/28) + "}", nil
	},
	"139 short fields of one name with arguments": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat(`a(b:"`+strings.Repeat("x", max(size/139-9, 0))+`") `, 139) + "}", nil
	},
	"two inline fragments of many fields": func(size int) (string, map[string]any) {
		a, b := &strings.Builder{}, &strings.Builder{}
		for i := range size / 10 {
			fmt.Fprintf(a, "a%d ", i)
			fmt.Fprintf(b, "b%d ", i)
		}
		return "{a{...{" + a.String() + "}}a{...{" + b.String() + "}}}", nil
	},
	"fields beside fragments": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("...{...{a}}", size/22) + aliases(size/22, "b") + "}", nil
	},
	"a large field merged often": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("a{x}", 130) + "a{" + aliases((size-600)/8, "b") + "}}", nil
	},
	"spreads of one fragment": func(size int) (string, map[string]any) {
		fragment := "fragment F on Query{" + aliases((size-700)/8, "b") + "}"
		return "{" + strings.Repeat("...F ", 130) + "} " + fragment, nil
	},
	"unknown fields": func(size int) (string, map[string]any) {
		return "{" + aliases(size/9, "y") + "}", nil
	},
	"unknown long field": func(size int) (string, map[string]any) {
		return "{" + strings.Repeat("y", size) + "}", nil
	},
	"unknown arguments": func(size int) (string, map[string]any) {
		var b strings.Builder
		for i := range size / 6 {
			fmt.Fprintf(&b, "a%d:1 ", i)
		}
		return "{products(" + b.String() + "){nodes{title}}}", nil
	},
	"unknown directives": func(size int) (string, map[string]any) {
		return "{apiVersion" + strings.Repeat("@a", size/2) + "}", nil
	},
	"repeated directives": func(size int) (string, map[string]any) {
		return "{apiVersion" + strings.Repeat("@skip(if:true)", size/14) + "}", nil
	},
	"variables": func(size int) (string, map[string]any) {
		var b, c strings.Builder
		for i := range size / 30 {
			fmt.Fprintf(&b, "$v%d:Int ", i)
			fmt.Fprintf(&c, "a%d:products(limit:$v%d){nodes{title}}", i, i)
		}
		return "query(" + b.String() + "){" + c.String() + "}", nil
	},
	"one hundred variables used often": func(size int) (string, map[string]any) {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, "$v%d:Int ", i)
		}
		uses := strings.Repeat("$v99 ", (size-900)/5)
		return "query(" + b.String() + "){products(f:[" + uses + "]){nodes{title}}}", nil
	},
	"one large variable used often": func(size int) (string, map[string]any) {
		return "query($v:[ID!]){" + aliases(size/30, "products(ids:$v){x}") + "}",
			map[string]any{"v": strings.Split(strings.Repeat("a ", 2*size/5), " ")}
	},
	"one variable declared often": func(size int) (string, map[string]any) {
		return "query(" + strings.Repeat("$v:[ID!] ", size/9) + "){apiVersion}",
			map[string]any{"v": strings.Split(strings.Repeat("a ", 2*size/5), " ")}
	},
	"unknown fields of a variable": func(size int) (string, map[string]any) {
		fields := map[string]any{}
		for i := range 3 * size / 12 {
			fields[fmt.Sprintf("x%d", i)] = 1
		}
		return "query($v:PlaceOrderInput!){quote(input:$v){x}}", map[string]any{"v": fields}
	},
	"nested lists": func(size int) (string, map[string]any) {
		list := strings.Repeat("[", size/2) + strings.Repeat("]", size/2)
		return "{products(limit:" + list + "){nodes{title}}}", nil
	},
	"nested inline fragments": func(size int) (string, map[string]any) {
		return "{" + nested(size/6, "...", "apiVersion") + "}", nil
	},
	"nested fields": func(size int) (string, map[string]any) {
		return "{" + nested(size/5, "a", "a") + "}", nil
	},
	"aliased lists": func(size int) (string, map[string]any) {
		return "{" + aliases(size/50, "products(limit:100){nodes{title variants{_id}}}") + "}", nil
	},
	"aliased quotes of one variable": func(size int) (string, map[string]any) {
		items := make([]map[string]any, 3*size/60)
		for i := range items {
			items[i] = map[string]any{"productId": "aaaa", "quantity": 1}
		}
		return "mutation($v:PlaceOrderInput!){" + aliases(size/40, "placeOrder(input:$v){_id}") + "}",
			map[string]any{"v": map[string]any{"items": items}}
	},
	"fragments conflicting with each other": func(size int) (string, map[string]any) {
		var b strings.Builder
		b.WriteString("{a{b{c{d{e{...F0 ...F1 ...F2 ...F3}}}}}} ")
		for i := range 4 {
			fields := strings.Repeat(fmt.Sprintf("x:y%d ", i), (size-200)/24)
			fmt.Fprintf(&b, "fragment F%d on Query{%s}", i, fields)
		}
		return b.String(), nil
	},
	"newer fields of introspection": func(size int) (string, map[string]any) {
		return "{__schema{" + aliases(100, "description") + "}" + strings.Repeat(" ", max(size-2000, 0)) + "}", nil
	},
	"too many newer fields of introspection": func(size int) (string, map[string]any) {
		return "{__schema{directives{" + aliases(size/15, "isRepeatable") + "}}}", nil
	},
	"block strings": func(size int) (string, map[string]any) {
		return `{products(search:"""` + strings.Repeat("\n x", size/3) + `"""){nodes{title}}}`, nil
	},
}
