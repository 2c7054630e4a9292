package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	ast "text/template/parse"
)

// What Ollama reads off the tree of a template, and what it takes out of it.

// cutter takes away what stands after the first .Response in the order of the
// source, also in the action that has it, but for .Response itself.
type cutter struct {
	cut bool
	err error
}

func (c *cutter) list(l *ast.ListNode) {
	l.Nodes = slices.DeleteFunc(l.Nodes, func(n ast.Node) bool {
		if c.cut {
			return true
		}
		switch n := n.(type) {
		case *ast.IfNode:
			c.branch(&n.BranchNode)
		case *ast.WithNode:
			c.branch(&n.BranchNode)
		case *ast.RangeNode:
			c.branch(&n.BranchNode)
		case *ast.ActionNode:
			return !c.pipe(n.Pipe)
		}
		return false
	})
}

func (c *cutter) branch(b *ast.BranchNode) {
	c.list(b.List)
	switch {
	case b.ElseList == nil:
	case c.cut:
		c.err = errors.New("template: must not have {{else}} after its first .Response, where Ollama's server fails")
	default:
		c.list(b.ElseList)
	}
}

// pipe reports whether anything is left of a pipeline.
func (c *cutter) pipe(p *ast.PipeNode) bool {
	for i, cmd := range p.Cmds {
		cmd.Args = slices.DeleteFunc(cmd.Args, func(n ast.Node) bool {
			if f, ok := n.(*ast.FieldNode); ok && slices.Contains(f.Ident, "Response") {
				c.cut = true
				return false
			}
			if inner, ok := n.(*ast.PipeNode); ok && !c.cut {
				return !c.pipe(inner)
			}
			return c.cut
		})
		if len(cmd.Args) == 0 {
			p.Cmds = p.Cmds[:i]
			return false
		}
	}
	return true
}

// names adds the names of all fields and variables of a template that Ollama
// sees: it does not look into the brackets of (a).b.
func names(root ast.Node, to map[string]bool) (err error) {
	walkNodes(root, func(n ast.Node) bool {
		var ident []string
		switch n := n.(type) {
		case *ast.ChainNode:
			return false
		case *ast.TemplateNode:
			if n.Pipe == nil {
				err = errors.New("template: must give {{template}} a value, or Ollama does not take it")
			}
		case *ast.FieldNode:
			ident = n.Ident
		case *ast.VariableNode:
			ident = n.Ident
		}
		for _, s := range ident {
			to[strings.ToLower(s)] = true
		}
		return err == nil
	})
	return err
}

// thinks reports whether a template writes what a model thought in a loop over
// the messages, between two texts: by these Ollama knows models that think.
func thinks(root ast.Node) bool {
	var before, after string
	var look func(n ast.Node, in *ast.ListNode, loop *ast.RangeNode)
	look = func(n ast.Node, in *ast.ListNode, loop *ast.RangeNode) {
		switch n := n.(type) {
		case *ast.ChainNode:
			return
		case *ast.ListNode:
			in = n
		case *ast.RangeNode:
			loop = n
		case *ast.FieldNode:
			if n.Ident[0] == "Thinking" && loop != nil && loops(loop, "Messages") {
				textOf(in.Nodes[0], &before)
				textOf(in.Nodes[len(in.Nodes)-1], &after)
			}
		}
		for _, c := range children(n) {
			look(c, in, loop)
		}
	}
	look(root, nil, nil)
	return before != "" && after != ""
}

// textOf stores the text of a node that is text, without the blanks around it.
func textOf(n ast.Node, to *string) {
	if t, ok := n.(*ast.TextNode); ok {
		*to = strings.TrimSpace(string(t.Text))
	}
}

// loops reports whether a loop goes over a field.
func loops(r *ast.RangeNode, field string) bool {
	found := false
	walkNodes(r.Pipe, func(n ast.Node) bool {
		f, ok := n.(*ast.FieldNode)
		found = found || ok && f.Ident[0] == field
		return true
	})
	return found
}

// children returns what stands in a node.
func children(n ast.Node) (list []ast.Node) {
	branch := func(b *ast.BranchNode) []ast.Node {
		if b.ElseList == nil {
			return []ast.Node{b.Pipe, b.List}
		}
		return []ast.Node{b.Pipe, b.List, b.ElseList}
	}
	switch n := n.(type) {
	case *ast.ListNode:
		return n.Nodes
	case *ast.IfNode:
		return branch(&n.BranchNode)
	case *ast.WithNode:
		return branch(&n.BranchNode)
	case *ast.RangeNode:
		return branch(&n.BranchNode)
	case *ast.ActionNode:
		return []ast.Node{n.Pipe}
	case *ast.TemplateNode:
		if n.Pipe != nil {
			return []ast.Node{n.Pipe}
		}
	case *ast.PipeNode:
		for _, c := range n.Cmds {
			list = append(list, c)
		}
	case *ast.CommandNode:
		return n.Args
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	}
	return list
}

// walkNodes calls f with n and, where f says so, with every node below it.
func walkNodes(n ast.Node, f func(ast.Node) bool) {
	if f(n) {
		for _, c := range children(n) {
			walkNodes(c, f)
		}
	}
}

// guard counts the rounds of every loop of a template, and the template itself,
// which may call itself.
func guard(root *ast.ListNode) {
	count := func(l *ast.ListNode, n int) {
		l.Nodes = slices.Insert(l.Nodes, 0, action(fmt.Sprintf("{{%s %d}}", guardRound, n)))
	}
	walkNodes(root, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeNode); ok {
			count(r.List, 1)
		}
		return true
	})
	count(root, goCall)
}

// action makes an action of source, which has one.
func action(source string) ast.Node {
	trees, err := ast.Parse("guard", source, "", "", map[string]any{guardRound: 0})
	if err != nil {
		panic(err) // the sources are those here
	}
	return trees["guard"].Root.Nodes[0]
}
