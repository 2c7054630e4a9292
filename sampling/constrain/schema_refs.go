package constrain

import (
	"net/url"
	"strconv"
	"strings"
)

// A resource is a schema with a URI of its own, inside the document.
type resource struct {
	uri     string
	root    *jsonValue
	ptr     string
	anchors map[string]*jsonValue
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
func (c *schemaCompiler) index(root *jsonValue) error {
	c.byURI = map[string]*resource{}
	if root.kind != kindObject && root.kind != kindTrue && root.kind != kindFalse {
		return refuse("", "schema", "a schema is an object, true or false")
	}
	res := &resource{root: root, anchors: map[string]*jsonValue{}}
	c.all = append(c.all, res)
	c.byURI[""] = res
	c.walk(root, "", res, "")
	c.root = c.nodes[root]
	return nil
}

// walk visits a schema. parent is the keyword that holds it.
func (c *schemaCompiler) walk(v *jsonValue, ptr string, res *resource, parent string) {
	if v.kind == kindObject {
		res = c.identify(v, ptr, res)
	}
	c.nodes[v] = &schemaNode{id: len(c.nodes), value: v, ptr: ptr, res: res}
	for i, name := range v.names {
		holder, ok := schemaKeywords[name]
		if !ok {
			continue
		}
		child, at := v.list[i], ptr+"/"+escapePointer(name)
		switch {
		case child.kind == kindArray && (holder == holdsList || holder == holdsOneOrList):
			for j, x := range child.list {
				c.walk(x, at+"/"+strconv.Itoa(j), res, name)
			}
		case child.kind == kindObject && holder == holdsMap:
			for j, key := range child.names {
				c.walk(child.list[j], at+"/"+escapePointer(key), res, name)
			}
		case holder == holdsOne || holder == holdsOneOrList:
			c.walk(child, at, res, name)
		}
	}
}

// identify reads $id and anchors.
func (c *schemaCompiler) identify(v *jsonValue, ptr string, res *resource) *resource {
	id := v.get("$id")
	if id == nil && c.draft == 7 {
		id = v.get("id")
	}
	if ref := v.get("$ref"); c.draft == 7 && ref != nil && ref.kind == kindString {
		id = nil // siblings of $ref do not count
	}
	if id != nil && id.kind == kindString {
		base, fragment, _ := strings.Cut(id.text, "#")
		if base != "" {
			uri := resolveURI(res.uri, base)
			if ptr == "" {
				res.uri = uri
			} else {
				res = &resource{uri: uri, root: v, ptr: ptr, anchors: map[string]*jsonValue{}}
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
		if a := v.get(name); a != nil && a.kind == kindString {
			res.anchors[a.text] = v
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

func escapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func unescapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// resolve finds the schema a reference of n points to.
func (c *schemaCompiler) resolve(n *schemaNode, ref string) (*schemaNode, error) {
	base, fragment, _ := strings.Cut(ref, "#")
	res := n.res
	if base != "" {
		res = c.byURI[strings.TrimSuffix(resolveURI(n.res.uri, base), "#")]
		if res == nil {
			return nil, refuse(n.ptr, "$ref", "%q is outside this document, and nothing is fetched", clip(ref))
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
		return nil, refuse(n.ptr, "$ref", "there is no anchor %q", clip(ref))
	}
	v, ptr := res.root, res.ptr
	for _, part := range strings.Split(fragment[1:], "/") {
		key := unescapePointer(part)
		ptr += "/" + part
		next := v.get(key)
		if v.kind == kindArray {
			if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v.list) {
				next = v.list[i]
			}
		}
		if next == nil {
			return nil, refuse(n.ptr, "$ref", "%q points to nothing", clip(ref))
		}
		v = next
		if known, ok := c.nodes[v]; ok {
			res = known.res
		}
	}
	if v.kind != kindObject && v.kind != kindTrue && v.kind != kindFalse {
		return nil, refuse(n.ptr, "$ref", "%q does not point to a schema", clip(ref))
	}
	return c.nodeAt(v, ptr, res), nil
}

// nodeAt returns the node of a schema, which a reference may have found in a
// place where schemas do not usually stand.
func (c *schemaCompiler) nodeAt(v *jsonValue, ptr string, res *resource) *schemaNode {
	if n, ok := c.nodes[v]; ok {
		return n
	}
	c.walk(v, ptr, res, "")
	return c.nodes[v]
}

// child is a subschema of n under a keyword.
func (c *schemaCompiler) child(n *schemaNode, v *jsonValue, path ...string) (schemaSet, error) {
	ptr := n.ptr
	for _, p := range path {
		ptr += "/" + escapePointer(p)
	}
	if v.kind == kindTrue || v.kind == kindObject && len(v.list) == 0 {
		return schemaSet{}, nil
	}
	if v.kind != kindObject && v.kind != kindFalse {
		return schemaSet{}, refuse(ptr, path[len(path)-1], "a schema is an object, true or false")
	}
	return schemaSet{all: []*schemaNode{c.nodeAt(v, ptr, n.res)}}, nil
}

// opposite negates the set of a single child.
func (s schemaSet) opposite() schemaSet {
	if s.never {
		return schemaSet{}
	}
	if len(s.all) == 0 {
		return schemaSet{never: true}
	}
	return schemaSet{not: s.all}
}
