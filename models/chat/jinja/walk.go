package jinja

// children are the direct parts of an expression.
func children(x expr) []expr {
	calls := func(c *callExpr, first ...expr) []expr {
		list := append(first, c.args...)
		list = append(list, c.values...)
		return append(list, c.dynArgs, c.dynKwds)
	}
	switch x := x.(type) {
	case *nsTarget:
		return []expr{x.ns}
	case *tupleExpr:
		return x.items
	case *listExpr:
		return x.items
	case *dictExpr:
		var list []expr
		for i := range x.keys {
			list = append(list, x.keys[i], x.values[i])
		}
		return list
	case *attrExpr:
		return []expr{x.x}
	case *itemExpr:
		return []expr{x.x, x.arg}
	case *sliceExpr:
		return []expr{x.x, x.from, x.to, x.stride}
	case *callExpr:
		return calls(x, x.fn)
	case *filterExpr:
		return calls(&x.callExpr, x.x)
	case *testExpr:
		return calls(&x.callExpr, x.x)
	case *notExpr:
		return []expr{x.x}
	case *signExpr:
		return []expr{x.x}
	case *binExpr:
		return []expr{x.a, x.b}
	case *andExpr:
		return []expr{x.a, x.b}
	case *orExpr:
		return []expr{x.a, x.b}
	case *concatExpr:
		return x.items
	case *compareExpr:
		return append([]expr{x.x}, x.args...)
	case *condExpr:
		return []expr{x.test, x.yes, x.no}
	}
	return nil
}

// eachName calls visit for the names of an expression, in their order.
func eachName(x expr, visit func(*nameExpr)) {
	if x == nil {
		return
	}
	if n, ok := x.(*nameExpr); ok {
		visit(n)
	}
	for _, c := range children(x) {
		eachName(c, visit)
	}
}

// mentions reports whether statements, with all that lies in them, read a name
// before they set it.
func mentions(list []node, name string) (found bool) {
	eachMention(list, func(n *nameExpr) bool {
		if n.name != name {
			return true
		}
		found = !n.store
		return false
	})
	return found
}

// eachMention calls visit for the names of statements and of all that lies in
// them, blocks excepted, until it returns false.
func eachMention(list []node, visit func(*nameExpr) bool) bool {
	on := true
	exprs := func(list ...expr) {
		for _, x := range list {
			eachName(x, func(n *nameExpr) { on = on && visit(n) })
		}
	}
	nodes := func(list []node) { on = on && eachMention(list, visit) }
	macro := func(n *macroNode) {
		for _, p := range n.params {
			exprs(p)
		}
		exprs(n.defaults...)
		nodes(n.body)
	}
	for _, n := range list {
		switch n := n.(type) {
		case *outputNode:
			exprs(n.x)
		case *ifNode:
			for _, arm := range n.arms {
				exprs(arm.test)
				nodes(arm.body)
			}
			nodes(n.other)
		case *forNode:
			exprs(n.target, n.iter)
			nodes(n.body)
			nodes(n.other)
			exprs(n.test)
		case *setNode:
			exprs(n.target, n.x)
		case *setBlock:
			exprs(n.target, n.filter)
			nodes(n.body)
		case *filterBlock:
			nodes(n.body)
			exprs(n.filter)
		case *withNode:
			exprs(n.targets...)
			exprs(n.values...)
			nodes(n.body)
		case *scopeNode:
			nodes(n.body)
		case *macroNode:
			macro(n)
		case *callBlock:
			if n.call != nil {
				exprs(n.call)
			}
			macro(n.caller)
		}
		if !on {
			return false
		}
	}
	return on
}
