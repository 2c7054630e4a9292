package schema

import (
	"net/url"
	"strconv"
	"strings"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A resource is a schema with a URI of its own, inside the document.
type resource struct {
	uri     string
	root    *jsonvalue.Value
	ptr     string
	anchors map[string]*jsonvalue.Value
}

// resources finds what references point to. Nothing outside the document is
// ever read.
type resources struct {
	byURI map[string]*resource
	all   []*resource
}

// schemaKeywords says under which keywords schemas stand.
var schemaKeywords = map[string]schemaHolder{
	"additionalItems": holdsOne, "additionalProperties": holdsOne, "contains": holdsOne, "else": holdsOne, "if": holdsOne,
	"items": holdsOneOrList, "not": holdsOne, "propertyNames": holdsOne, "then": holdsOne, "unevaluatedItems": holdsOne,
	"unevaluatedProperties": holdsOne, "contentSchema": holdsOne,
	"allOf": holdsList, "anyOf": holdsList, "oneOf": holdsList, "prefixItems": holdsList,
	"$defs": holdsMap, "definitions": holdsMap, "dependentSchemas": holdsMap, "patternProperties": holdsMap, "properties": holdsMap,
	"dependencies": holdsMap,
}

type schemaHolder uint8

const (
	holdsOne schemaHolder = iota
	holdsList
	holdsOneOrList
	holdsMap
)

// index walks the document's schemas and gives each its place and resource.
func (c *compiler) index(root *jsonvalue.Value) error {
	c.byURI = map[string]*resource{}
	if root.Kind != jsonvalue.Object && root.Kind != jsonvalue.True && root.Kind != jsonvalue.False {
		return lang.Refuse("", "schema", "a schema must be an object, true or false")
	}
	res := &resource{root: root, anchors: map[string]*jsonvalue.Value{}}
	c.all = append(c.all, res)
	c.byURI[""] = res
	c.walk(root, "", res)
	c.root = c.nodes[root]
	return nil
}

// walk visits a schema. parent is the keyword that holds it.
func (c *compiler) walk(v *jsonvalue.Value, ptr string, res *resource) {
	if v.Kind == jsonvalue.Object {
		res = c.identify(v, ptr, res)
	}
	c.nodes[v] = &subschema{id: len(c.nodes), value: v, ptr: ptr, res: res}
	for i, name := range v.Names {
		holder, ok := schemaKeywords[name]
		if !ok {
			continue
		}
		child, at := v.List[i], ptr+"/"+lang.EscapePointer(name)
		switch {
		case child.Kind == jsonvalue.Array && (holder == holdsList || holder == holdsOneOrList):
			for j, x := range child.List {
				c.walk(x, at+"/"+strconv.Itoa(j), res)
			}
		case child.Kind == jsonvalue.Object && holder == holdsMap:
			for j, key := range child.Names {
				c.walk(child.List[j], at+"/"+lang.EscapePointer(key), res)
			}
		case holder == holdsOne || holder == holdsOneOrList:
			c.walk(child, at, res)
		}
	}
}

// identify reads $id and anchors.
func (c *compiler) identify(v *jsonvalue.Value, ptr string, res *resource) *resource {
	id := v.Get("$id")
	if id == nil && c.draft == 7 {
		id = v.Get("id")
	}
	if ref := v.Get("$ref"); c.draft == 7 && ref != nil && ref.Kind == jsonvalue.String {
		id = nil // siblings of $ref do not count
	}
	if id != nil && id.Kind == jsonvalue.String {
		base, fragment, _ := strings.Cut(id.Text, "#")
		if base != "" {
			uri := resolveURI(res.uri, base)
			if ptr == "" {
				res.uri = uri
			} else {
				res = &resource{uri: uri, root: v, ptr: ptr, anchors: map[string]*jsonvalue.Value{}}
				c.all = append(c.all, res)
			}
			if _, taken := c.byURI[uri]; !taken {
				c.byURI[uri] = res
			}
		}
		if fragment != "" {
			res.anchors[fragment] = v
		}
	}
	for _, name := range []string{"$anchor", "$dynamicAnchor"} {
		if a := v.Get(name); a != nil && a.Kind == jsonvalue.String {
			res.anchors[a.Text] = v
		}
	}
	return res
}

func resolveURI(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if b.Opaque != "" && r.Scheme == "" {
		return ref // nothing is relative to a URN
	}
	return b.ResolveReference(r).String()
}

func unescapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// resolve finds the schema a reference of n points to.
func (c *compiler) resolve(n *subschema, ref string) (*subschema, error) {
	base, fragment, _ := strings.Cut(ref, "#")
	res := n.res
	if base != "" {
		res = c.byURI[strings.TrimSuffix(resolveURI(n.res.uri, base), "#")]
		if res == nil {
			return nil, lang.Refuse(n.ptr, "$ref", "%q is outside this document, and nothing is fetched", lang.Clip(ref))
		}
	}
	if f, err := url.PathUnescape(fragment); err == nil {
		fragment = f
	}
	if fragment == "" {
		return c.nodeAt(res.root, res.ptr, res), nil
	}
	if !strings.HasPrefix(fragment, "/") {
		if v, ok := res.anchors[fragment]; ok {
			return c.nodes[v], nil
		}
		return nil, lang.Refuse(n.ptr, "$ref", "there is no anchor %q", lang.Clip(ref))
	}
	v, ptr := res.root, res.ptr
	for _, part := range strings.Split(fragment[1:], "/") {
		key := unescapePointer(part)
		ptr += "/" + part
		next := v.Get(key)
		if v.Kind == jsonvalue.Array {
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.List) {
				next = v.List[i]
			}
		}
		if next == nil {
			return nil, lang.Refuse(n.ptr, "$ref", "%q points to nothing", lang.Clip(ref))
		}
		v = next
		if known, ok := c.nodes[v]; ok {
			res = known.res
		}
	}
	if v.Kind != jsonvalue.Object && v.Kind != jsonvalue.True && v.Kind != jsonvalue.False {
		return nil, lang.Refuse(n.ptr, "$ref", "%q does not point to a schema", lang.Clip(ref))
	}
	return c.nodeAt(v, ptr, res), nil
}

// nodeAt returns the node of a schema, which a reference may have found in a
// place where schemas do not usually stand.
func (c *compiler) nodeAt(v *jsonvalue.Value, ptr string, res *resource) *subschema {
	if n, ok := c.nodes[v]; ok {
		return n
	}
	c.walk(v, ptr, res)
	return c.nodes[v]
}

// child is a subschema of n under a keyword.
func (c *compiler) child(n *subschema, v *jsonvalue.Value, path ...string) (valueSet, error) {
	ptr := n.ptr
	for _, p := range path {
		ptr += "/" + lang.EscapePointer(p)
	}
	if v.Kind == jsonvalue.True || v.Kind == jsonvalue.Object && len(v.List) == 0 {
		return valueSet{}, nil
	}
	if v.Kind != jsonvalue.Object && v.Kind != jsonvalue.False {
		return valueSet{}, lang.Refuse(ptr, path[0], "must be a schema: an object, true or false")
	}
	return valueSet{all: []*subschema{c.nodeAt(v, ptr, n.res)}}, nil
}

// opposite negates the set of a single child.
func (s valueSet) opposite() valueSet {
	if s.never {
		return valueSet{}
	}
	if len(s.all) == 0 {
		return valueSet{never: true}
	}
	return valueSet{not: s.all}
}
