package cli

import (
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// TestConstraintFaultsNameTheirOrigin reads whole lines: the flag, the file if
// it has one, and the place in it.
func TestConstraintFaultsNameTheirOrigin(t *testing.T) {
	t.Parallel()
	file := func(text string) string { return write(t, "f", text) }
	for _, tt := range []struct{ flag, arg, want string }{
		{"--json-schema", file(`{"type":"strin"}`), `: #: "type" must be null`},
		{"--json-schema", file("{\n\"a\": 1} x"), ": line 2, column 9: text after the JSON value"},
		{"--json-schema", file(strings.Repeat(`{"not":`, 12000)), ": line 1, column 7001: values nest more than 1000 deep"},
		{"--json-schema", file(""), ": line 1, column 1: the JSON text ends too early"},
		{"--grammar", file("root ::= (\n"), `: line 1, column 10: this "(" is not closed`},
		{"--sql", file(`{"tables":{"a":1}}`), ": #/tables/a: must be a list of names"},
		{"--sql", file(`{"tables":}`), ": line 1, column 11: "},
		{"--config", file(`{"temperature":1,` + "\n" + `"constraint":{"type":"regex","regex":"("}}`), ":2: constraint: line 1, column 1: missing closing"},
		{"--config", file(`{"structured_outputs":{"regex":"("}}`), ":1: structured_outputs.regex: line 1, column 1: missing closing"},
		{"--regex", "(", ": line 1, column 1: missing closing"},
		{"--choice", "x", ""},
		{"--set", `constraint={"type":"regex","regex":"("}`, " constraint: line 1, column 1: missing closing"},
	} {
		from := tt.flag
		if tt.flag == "--json-schema" || tt.flag == "--grammar" || tt.flag == "--sql" || tt.flag == "--config" {
			from += " " + tt.arg
		}
		out, errs, code := try(t, "", "run", "--prompt", "x", "--max-new-tokens", "2", tt.flag, tt.arg)
		if tt.want == "" {
			if code != console.ExitDone {
				t.Errorf("%s %s: exit %d, %s", tt.flag, tt.arg, code, errs)
			}
			continue
		}
		if want := "logitscope: " + from + tt.want; code != console.ExitUsage || out != "" || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("exit %d, %q, %q, want %q", code, out, errs, want)
		}
	}
	_, errs, code := try(t, "", "compare", "--prompt", "x", "--lane", "chat", "--lane", `chat,constraint={"type":"regex","regex":"("}`, "--format", "jsonl")
	if want := `logitscope: --lane chat,constraint={"type":"regex","regex":"("}: constraint: line 1`; code != console.ExitUsage || !strings.HasPrefix(errs, want) {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// Bytes that are no UTF-8 would become U+FFFD on the way to the compiler; they
// are refused with their place, in a file and on the command line.
func TestConstraintsThatAreNoText(t *testing.T) {
	t.Parallel()
	file := func(text string) string { return write(t, "f", text) }
	for _, tt := range []struct{ flag, arg, place string }{
		{"--grammar", file("root ::= \"a\xffb\"\n"), "line 1, column 12"},
		{"--grammar", file("# é\n# é\xc3\nroot ::= \"a\"\n"), "line 2, column 4"},
		{"--json-schema", file("{\"const\":\n \"\xff\"}"), "line 2, column 3"},
		{"--sql", file("{\"tables\":{\"a\xff\":[\"x\"]}}"), "line 1, column 14"},
		{"--regex", "a\xff", "line 1, column 2"},
		{"--choice", "a\xffb", "line 1, column 2"},
		{"--config", file("{\"temperature\":1,\n\"constraint\":{\"type\":\"regex\",\"regex\":\"a\xff\"}}"), "line 2, column 40"},
		{"--set", "constraint={\"type\":\"regex\",\"regex\":\"a\xff\"}", "line 1, column 27"},
	} {
		from := tt.flag
		switch tt.flag {
		case "--grammar", "--json-schema", "--sql", "--config":
			from += " " + tt.arg
		case "--set":
			from += " constraint"
		}
		want := "logitscope: " + from + ": " + tt.place + ": not valid UTF-8\n"
		if out, errs, code := try(t, "", "run", "--prompt", "x", tt.flag, tt.arg); code != console.ExitUsage || out != "" || errs != want {
			t.Errorf("exit %d, %q, %q, want %q", code, out, errs, want)
		}
		if tt.flag == "--config" || tt.flag == "--set" {
			continue
		}
		refused := `{"refused":[{"pointer":"","keyword":"syntax","reason":"` + tt.place + `: not valid UTF-8"}]}` + "\n"
		if out, errs, code := try(t, "", "constrain", tt.flag, tt.arg); code != console.ExitUsage || out != refused || errs != want {
			t.Errorf("exit %d, %q, %q, want %q and %q", code, out, errs, refused, want)
		}
	}
	// U+FFFD itself is a character like others, and comments of other settings are not read.
	if _, errs, code := try(t, "", "run", "--prompt", "x", "--max-new-tokens", "4", "--choice", "\ufffd"); code != console.ExitDone {
		t.Errorf("exit %d, %q", code, errs)
	}
	if _, errs, code := try(t, "", "config", "show", "--config", file("# \xff\nFROM x\nPARAMETER temperature 0.4\n")); code != console.ExitDone {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestConstraintNotes wants a line on standard error for every keyword that
// restricts nothing, and the output of a schema without it.
func TestConstraintNotes(t *testing.T) {
	t.Parallel()
	noted, plain := write(t, "noted.json", `{"type":"integer","foo":1}`), write(t, "plain.json", `{"type":"integer"}`)
	in := `{"text":"12"}`
	for _, args := range []string{
		"run --prompt x --max-new-tokens 4",
		"compare --prompt x --max-new-tokens 4 --lane chat --lane greedy --format jsonl",
		"sweep --prompt x --max-new-tokens 4 --seeds 1 --grid top_k=1,2 --format csv",
		"constrain",
	} {
		out, errs, code := try(t, in, append(strings.Fields(args), "--json-schema", noted)...)
		want, quiet, _ := try(t, in, append(strings.Fields(args), "--json-schema", plain)...)
		if strings.HasPrefix(args, "compare") {
			out, want = ends(t, out), ends(t, want) // the run lines hold the schema
		}
		line := "logitscope: --json-schema " + noted + ": #/foo: is not a keyword of JSON Schema and restricts nothing\n"
		if code != console.ExitDone || out != want || errs != line || quiet != "" {
			t.Errorf("%s: exit %d, %q and %q; want %q and %q", args, code, out, errs, want, line)
		}
	}
}

// What a file of settings says and nothing is known of is named.
func TestConfigNotes(t *testing.T) {
	t.Parallel()
	file := write(t, "r.json", `{"temperature":0.5,"structured_outputs":{"regex":"a","structural_tag":"x"},`+"\n"+`"guided_choice":["a"]}`)
	want := "logitscope: --config " + file + ": guided_choice (line 2) takes the place of " + file + ":1: structured_outputs.regex\n" +
		"logitscope: --config " + file + ": acts on tokens and is not modelled here: structured_outputs.structural_tag (line 1)\n"
	for _, args := range []string{"run --prompt x", "config show", "config export --to logitscope", "config presets save mine"} {
		if _, errs, code := try(t, "", append(strings.Fields(args), "--config", file)...); code != console.ExitDone || errs != want {
			t.Errorf("%s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}

// ends returns the end lines of jsonl.
func ends(t *testing.T, out string) (ends string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"type":"end"`) {
			ends += line
		}
	}
	return ends
}

// Standard input is read by one flag, once.
func TestStandardInputIsReadOnce(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "\ufeff"+`{"enum":["yes"]}`, "run", "--prompt", "x", "--json-schema", "-")
	if out != "\"yes\"\n" || errs != "" || code != console.ExitDone {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	for _, tt := range []struct{ args, want string }{
		{"run --config - --prompt-file -", "--prompt-file -: standard input is for --config"},
		{"run --grammar - --config -", "--grammar -: standard input is for --config"},
		{"constrain --json-schema -", "--json-schema -: standard input is for the texts"},
		{"constrain --json --vocab -", "--vocab -: standard input is for the texts"},
		{"constrain --json --vocab=", "--vocab: want the name of a file"},
		{"run --prompt x --config=", "--config: want the name of a file"},
		{"run --prompt-file=", "--prompt-file: want the name of a file"},
		{"run --prompt x --json-schema=", "--json-schema: want the name of a file"},
	} {
		out, errs, code := try(t, `{"temperature":1}`, strings.Fields(tt.args)...)
		if code != console.ExitUsage || out != "" || errs != "logitscope: "+tt.want+"\n" {
			t.Errorf("%s: exit %d, %q, %q", tt.args, code, out, errs)
		}
	}
}
