package lesson

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/goal"
	"logitscope/models/table"
	"logitscope/sampling/constrain"
)

var (
	idForm   = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)
)

// What stands where.
var (
	topWords  = []string{"lesson", "table", "file"}
	taskWords = []string{"setup", "goal", "predict", "hint", "reveal", "solution", "note"}
	many      = []string{"hint", "note", "table", "file"}
)

func (b fenced) empty() bool {
	return !slices.ContainsFunc(b.lines, func(l line) bool { return strings.TrimSpace(l.text) != "" })
}

// usable reports whether a block may stand here, and faults it if not. seen
// are the words that stood before.
func (r *reader) usable(b fenced, here []string, seen map[string]bool) bool {
	named := b.word == "table" || b.word == "file"
	before := len(r.faults)
	switch {
	case !slices.Contains(topWords, b.word) && !slices.Contains(taskWords, b.word):
		r.faultf(b.n, "%s: no such block; want %s", goal.Shown(b.word), strings.Join(slices.Concat(topWords, taskWords), ", "))
	case seen[b.word] && !slices.Contains(many, b.word):
		r.faultf(b.n, "the block %s stands twice", b.word)
	case !slices.Contains(here, b.word) && r.task == 0:
		r.faultf(b.n, "the block %s belongs to a task: it stands after a heading with ##", b.word)
	case !slices.Contains(here, b.word):
		r.faultf(b.n, "the block %s stands before the first task", b.word)
	case named && !nameForm.MatchString(b.name):
		r.faultf(b.n, "%s: %q is not a name; want letters, digits, _ - and ., not first a point", b.word, goal.Shown(b.name))
	case !named && b.name != "":
		r.faultf(b.n, "%s: a %s block takes no name", goal.Shown(b.name), b.word)
	case b.empty():
		r.faultf(b.n, "the block %s is empty", b.word)
	}
	seen[b.word] = true
	return len(r.faults) == before
}

// top reads what stands before the first task.
func (r *reader) top(p *part, tasks bool, all []*part) {
	seen := map[string]bool{}
	has := slices.ContainsFunc(p.blocks, func(b fenced) bool { return b.word == topWords[0] })
	if !has && !p.cut {
		line := 1
		if tasks {
			line = all[1].n
		}
		r.faultf(line, "no lesson block before the first task")
		r.seen[topWords[0]] = line // one that stands later is not another fault
	}
	r.lesson.Tables, r.lesson.Files, r.lesson.tables = map[string]*table.Model{}, map[string]string{}, map[string]string{}
	used := map[string]bool{}
	for _, b := range p.blocks {
		if b.word == topWords[0] || !r.usable(b, topWords, seen) {
			continue
		}
		if used[b.name] {
			r.faultf(b.n, "the name %s stands twice", b.name)
			continue
		}
		used[b.name] = true
		if b.word == "file" {
			r.lesson.Files[b.name] = joined(b.lines)
			continue
		}
		m, err := table.Parse(b.name, strings.NewReader(joined(b.lines)))
		if err != nil {
			r.faultf(b.n, "table %s: %w", b.name, err)
		}
		r.lesson.Tables[b.name], r.lesson.tables[b.name] = m, joined(b.lines)
	}
	for _, b := range p.blocks {
		if b.word == topWords[0] && r.usable(b, topWords, seen) {
			r.head(b)
		}
	}
	r.lesson.Intro = r.body(p)
}

func joined(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// headKeys read the lesson block.
var headKeys = map[string]func(*reader, pair) error{
	"id": func(r *reader, p pair) error {
		if !idForm.MatchString(p.value) {
			return fmt.Errorf("id: %s: want a-z, 0-9 and -, at most 64", goal.Shown(p.value))
		}
		r.lesson.ID = p.value
		return nil
	},
	"section": func(r *reader, p pair) error { r.lesson.Section = p.value; return nil },
	"author":  func(r *reader, p pair) error { r.lesson.Author = p.value; return nil },
	"licence": func(r *reader, p pair) error { r.lesson.Licence = p.value; return nil },
	"lang":    func(r *reader, p pair) error { r.lesson.Lang = p.value; return nil },
	"order": func(r *reader, p pair) (err error) {
		r.lesson.Order, err = whole(p)
		return err
	},
	"minutes": func(r *reader, p pair) (err error) {
		r.lesson.Minutes, err = whole(p)
		return err
	},
	"model": func(r *reader, p pair) (err error) {
		r.lesson.Model, err = r.modelNamed(p, Fable)
		return err
	},
	"draft": func(r *reader, p pair) (err error) {
		r.lesson.Draft, err = r.modelNamed(p, FableDraft)
		return err
	},
}

var headOrder = []string{"id", "section", "order", "minutes", "model", "draft", "author", "licence", "lang"}

// modelNamed reads the name of a model: the built-in one, or a table of the
// file as table:NAME.
func (r *reader) modelNamed(p pair, builtin string) (Model, error) {
	if p.value == builtin {
		return Model{Name: builtin}, nil
	}
	kind, name, _ := strings.Cut(p.value, ":")
	if _, there := r.lesson.Tables[name]; there && kind == "table" {
		return Model{Name: p.value, Table: name}, nil
	}
	return Model{}, fmt.Errorf("%s: %s: want %s or table:NAME, a table block of this file", p.key, goal.Shown(p.value), builtin)
}

func (r *reader) head(b fenced) {
	list, ok := r.pairs(b, headOrder)
	for _, p := range list {
		switch p.key {
		case "id":
			r.lesson.IDLine = p.n
		case "lang":
			r.lesson.langLine = p.n
		}
		if err := headKeys[p.key](r, p); err != nil {
			r.fault(p.n, err)
		}
	}
	if ok && r.lesson.IDLine == 0 {
		r.faultf(b.n, "the lesson block needs an id")
	}
}

// readTask reads one task.
func (r *reader) readTask(p *part) {
	t := Task{Title: p.title, Line: p.n}
	seen := map[string]bool{topWords[0]: r.seen[topWords[0]] == 0}
	r.predicted = goal.None
	var rest []fenced
	setupFault := false
	for _, b := range p.blocks {
		if b.word == topWords[0] && r.seen[topWords[0]] != 0 {
			continue // that it is missing was said
		}
		before := len(r.faults)
		ok := r.usable(b, taskWords, seen)
		switch {
		case !ok:
		case b.word == "predict":
			t.Predict = r.predict(b)
			rest = append(rest, b)
		case b.word == "setup":
			t.Setup = r.setup(b)
		default:
			rest = append(rest, b)
		}
		setupFault = setupFault || b.word == "setup" && len(r.faults) > before
		if b.word == "predict" && !ok {
			r.predicted = goal.Number
		}
	}
	if r.task == 1 && !setupFault && !p.cut && (t.Setup == nil || !t.Setup.HasPrompt) {
		r.faultf(p.n, "the first task needs a setup with a prompt")
	}
	t.Text = r.body(p)
	for _, b := range rest {
		taskBlocks[b.word](r, &t, b)
	}
	r.lesson.Tasks = append(r.lesson.Tasks, t)
}

// taskBlocks read the blocks that may speak of the answer, which is known by
// then.
var taskBlocks = map[string]func(*reader, *Task, fenced){
	"goal":     func(r *reader, t *Task, b fenced) { t.GoalLine, t.Goals = b.n, r.goals(b) },
	"hint":     func(r *reader, t *Task, b fenced) { t.Hints = append(t.Hints, r.prose(b.lines)) },
	"reveal":   func(r *reader, t *Task, b fenced) { t.Reveal = r.prose(b.lines) },
	"note":     func(r *reader, t *Task, b fenced) { t.Notes = append(t.Notes, r.prose(b.lines)) },
	"solution": func(r *reader, t *Task, b fenced) { t.Solution = r.solution(b) },
	"predict":  func(r *reader, t *Task, b fenced) { r.question(t.Predict, b) },
}

var onceForm = regexp.MustCompile(`^once[ \t]+`)

func (r *reader) goals(b fenced) []Goal {
	var list []Goal
	for _, l := range b.lines {
		text := strings.TrimSpace(l.text)
		if text == "" {
			continue
		}
		once := onceForm.FindString(text)
		src, words, found := goal.Cut(text[len(once):])
		words = strings.TrimSpace(words)
		before := len(r.faults)
		e := r.expr(l.n, src)
		switch {
		case e == nil && len(r.faults) > before:
		case !found || words == "":
			r.faultf(l.n, "%s: words are missing: want expression : words", goal.Shown(src))
		case e.Kind() != goal.Truth:
			r.faultf(l.n, "%s: the kind of a goal is yes or no; this is %s", goal.Shown(e.String()), e.Kind())
		default:
			list = append(list, Goal{Line: l.n, Once: once != "", Expr: e, Words: words})
		}
	}
	return list
}

// kinds of files by the ends of their names, where the name is not one that a
// kind of constraint gives its files.
var kinds = map[string]string{".json": "json_schema", ".gbnf": "grammar", ".regex": "regex", ".txt": "choice"}

// constraintOf returns a file block as configurations store a constraint.
func constraintOf(name, text string) (string, error) {
	typ := kinds[path.Ext(name)]
	for _, k := range constrain.Kinds() {
		if k.File == name {
			typ = k.Type
		}
	}
	k, ok := constrain.KindOf(typ)
	if !ok {
		return "", fmt.Errorf("%s: cannot tell what it is by its name; want one that ends in .json, .gbnf, .regex or .txt", name)
	}
	text = strings.TrimSuffix(text, "\n")
	if err := k.CheckText(text); err != nil {
		return "", fmt.Errorf("%s: %s", name, constrain.Bare(err))
	}
	spec := constrain.Spec{Type: k.Type}
	spec.SetText(text)
	if _, err := spec.Compile(true); err != nil {
		return "", fmt.Errorf("%s: %s", name, constrain.Bare(err))
	}
	return spec.String(), nil
}

// number reads a number that is not negative.
func plainNumber(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x >= 0 && !math.IsInf(x, 0) && !math.IsNaN(x)
}
