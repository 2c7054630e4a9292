package prompt

import "strings"

// Prompts of several examples.
const (
	fox   = "Once upon a time there was a little fox. Its name was"
	story = "Once upon a time there was a little"
)

// An Example is a prompt whose distribution has a known shape.
type Example struct {
	Prompt string
	preset string         // put in force with it; empty leaves what is there
	Set    map[string]any // settings on top of the preset: what the example is of
	draft  string         // of the model that weighs against the lane's; empty for none
	Kind   string         // what kind of distribution it has
	Best   int            // how many of the likeliest tokens are named with their shares; -1 says that none is likely
	watch  string         // what to look at
	token  string         // one that is spoken of there, whose share goes in its %s; empty for none

	Script []Press // what to press before a class, from the example as it opens
	Say    string  // the sentence to say with it
}

// A Press is a few keys of a script and what they show.
type Press struct {
	Keys  []string // by the names of a keys file
	Shows string
}

// About is what an example can also be found by.
func (x *Example) About() string { return x.Say + " " + x.Kind }

// press is one line of a script: keys separated by blanks.
func press(keys, shows string) Press { return Press{strings.Fields(keys), shows} }

// Examples are prompts for the built-in model, from near-certain to wide open.
var Examples = []Example{
	{Prompt: "The capital of France is", preset: "neutral", Kind: "near-certain", Best: 1, watch: "raise temperature until ␣Copenhagen%s gets a visible bar", token: " Copenhagen",
		Script: []Press{press("d", "a thousand draws: about 400 are not Paris"), press("esc + + + +", "higher temperature: the others gain"), press("0", "as the model has it again")},
		Say:    "Near-certain is not certain: two answers in five are not Paris."},
	{Prompt: "Once upon a time", preset: "neutral", Kind: "two", Best: 2, watch: "top_p 0.9 keeps two tokens; lower it to 0.6 and the story always begins alike",
		Script: []Press{press("tab down down", "to top_p, in the controls"), press("shift+left", "0.90: a nucleus of two tokens"), press("shift+left shift+left shift+left", "0.60: one is left, and chance has no part")},
		Say:    "A nucleus counts probability, not tokens: here two hold nine tenths."},
	{Prompt: "Once upon a time there was a little fox. Its name was", preset: "neutral", Kind: "wide open", Best: -1, watch: "top_k against top_p: which of them cuts more where nothing is likely?",
		Script: []Press{press("tab down down shift+left", "top_p 0.90 keeps what holds nine tenths: many"), press("0", "all tokens again"), press("up enter ctrl+u 4 0 enter", "top_k 40 keeps forty, likely or not")},
		Say:    "Where nothing is likely, top_k cuts blindly; top_p takes what it needs."},
	{Prompt: "The capital of France is", preset: "greedy", Kind: "one sentence for ever", watch: "run it: greedy repeats itself; then raise repetition_penalty and see which token gives way",
		Script: []Press{press("pgdown pgdown pgdown pgdown", "forty tokens: one sentence again and again"), press("[", "where it began to repeat"), press("esc 2", "chat: a penalty and a draw, from here on"), press("pgdown", "it gets out")},
		Say:    "The likeliest next word does not make the likeliest text: greedy loops."},
	{Prompt: "User: Hello! Who are you?\nAssistant:", preset: "chat", Kind: "chat: three ways to begin", watch: "s writes other answers with other seeds; temperature 0 always gives the same one",
		Script: []Press{press("pgdown", "an answer begins"), press("s pgdown", "another seed, another answer"), press("r pgdown", "the same seed again: the same answer")},
		Say:    "A seed is all the luck there is: same seed, same settings, same text."},
	{Prompt: "Extract the person's name and age from: Ana Silva is 41 years old.\n", preset: "factual", Kind: "JSON", Best: 2, watch: "braces and quotes are nearly certain, the name is copied: where does the entropy rise?",
		Script: []Press{press("J", "structured output: the text may be held to a form"), press("esc pgdown pgdown", "without it the model writes what it likes"), press("C", "a second run beside it")},
		Say:    "A grammar makes text valid, never true: what it forces costs bits."},
	{Prompt: "List the names of users older than 30.\n", preset: "factual", Kind: "SQL", Best: 1, watch: "temperature 1.5 still writes SQL for a while: sure tokens hardly move",
		Script: []Press{press("+ + + + + + + +", "temperature 1: sure tokens hardly move"), press("pgdown", "still SQL"), press("[ ]", "no mark: nothing was forced")},
		Say:    "Temperature moves what was open; what was certain stays certain."},
	{Prompt: "def add(a, b):", preset: "factual", Kind: "code: short and sure", watch: "presence_penalty pushes away the parameter names that the code needs",
		Script: []Press{press("pgdown", "the parameter names come back"), press("b b b b b", "to where one of them stood"), press("tab down down down down down down + + + +", "presence_penalty: the names it needs lose")},
		Say:    "A penalty cannot tell a mistake from a name that must be repeated."},
	{Prompt: "Once upon a time there was a little fox who lived in the", preset: "chat", Kind: "a story, open and closed", watch: "step through it: which words could have been others, and which could not?",
		Script: []Press{press("n n n", "three tokens, with the draw of each"), press("z", "the chart alone, for the back row"), press("+ + +", "what the knob does to it, before anything is written"), press("z P", "guess the next word before it shows")},
		Say:    "A model gives a law, settings cut it, chance takes one of what is left."},
	{Prompt: fox, preset: "neutral", Kind: "p-less: no knob", watch: "how many tokens p_less keeps here, and how many where the model is sure",
		Set:    map[string]any{"order": "lab", "p_less": true},
		Script: []Press{press("u", "without it: all 4,096 tokens"), press("U", "with it: of a wide row it keeps many"), press("n", "of a sharp row it keeps one")},
		Say:    "p-less asks the row: keep what is likelier than two draws agreeing."},
	{Prompt: fox, preset: "neutral", Kind: "p-less, normalised", watch: "it keeps more than p_less: its threshold is 0 on a flat row",
		Set:    map[string]any{"order": "lab", "p_less_norm": true},
		Script: []Press{press("u", "without it: all 4,096 tokens"), press("U", "with it: one more than p_less keeps of this row"), press("n", "of a sharp row it keeps one")},
		Say:    "The same threshold, set to nothing where the row says nothing."},
	{Prompt: fox, preset: "neutral", Kind: "top-a: the best, squared", watch: "0.2 of the best probability squared: loose on a flat row, strict on a sharp one",
		Set:    map[string]any{"order": "lab", "top_a": 0.2},
		Script: []Press{press("u", "without it: all 4,096 tokens"), press("U", "a flat row: the square of its best is tiny, much is kept"), press("n", "a sharp row: little is kept")},
		Say:    "Squaring the best makes the bar low where the model is unsure."},
	{Prompt: "Once upon a time", preset: "neutral", Kind: "tail-free: the bend", watch: "the cut is where the sorted curve bends most, not at a share of it: here a third goes",
		Set:    map[string]any{"order": "lab", "tfs_z": 0.9},
		Script: []Press{press("u", "without it: all 4,096 tokens"), press("U", "with it: the bend takes the second token away too"), press("n n n n n n n", "and a few tokens on")},
		Say:    "Tail-free cuts at the bend of the curve, however much lies behind it."},
	{Prompt: "Once upon a time", preset: "neutral", Kind: "smoothing: a parabola", watch: "no token is cut: logits are bent by their squared distance to the best",
		Set:    map[string]any{"order": "lab", "smoothing_factor": 0.3, "smoothing_curve": 2.0},
		Script: []Press{press("u", "without it: the model's own bars"), press("U", "with it: near ones gain, far ones fall steeply"), press("n n", "and two tokens on")},
		Say:    "Not a line through the logits but a curve: the near ones gain."},
	{Prompt: fox, preset: "neutral", Kind: "skew: luck leans", watch: "skew 1 moves the draw to the unlikely end; nothing is cut",
		Set:    map[string]any{"order": "lab", "skew": 1.0},
		Script: []Press{press("u", "without it: the same luck, another name"), press("U", "with it: a name from further down"), press("n", "it is written")},
		Say:    "Skew leaves every token in and leans on the dice."},
	{Prompt: "The capital of France is", preset: "neutral", Kind: "contrastive: two models", watch: "the amateur's column: what both models find easy loses, what only the expert knows gains",
		Set: map[string]any{"order": "lab", "contrastive_alpha": 0.1, "contrastive_beta": 0.5}, draft: "fable-draft",
		Script: []Press{press("u", "without it: the expert's row alone"), press("U", "with it: expert, amateur and the result"), press("n n", "and two tokens on")},
		Say:    "What the large model knows better than the small one is worth more."},
	{Prompt: "Once upon a time", preset: "neutral", Kind: "guidance: away from a text", watch: "the columns with and without: what the negative prompt makes likely loses",
		Set:    map[string]any{"order": "lab", "guidance_scale": 2.0, "negative_prompt": "The capital of France is"},
		Script: []Press{press("u", "without it: one row"), press("U", "with it: with and without the prompt, and the result"), press("n n", "and two tokens on")},
		Say:    "Guidance asks twice, with the prompt and without, and goes beyond."},
	{Prompt: "The capital of France is", preset: "greedy", Kind: "loop stop", watch: "the text ends as soon as it has said the same thing twice in a row",
		Set:    map[string]any{"repetition_detection": `{"max_pattern_size":40,"min_pattern_size":4,"min_count":2}`},
		Script: []Press{press("pgdown pgdown pgdown", "the same sentence twice: the text has ended"), press("u pgdown pgdown", "without it, it goes on and on"), press("[", "where it began to repeat")},
		Say:    "A loop stop ends a loop. It does not say anything better."},
	{Prompt: story, preset: "greedy", Kind: "banned phrases", watch: "what could become the phrase is held back and shown dim; then it is taken back",
		Set:    map[string]any{"banned_phrases": []string{"little boy", " boy"}},
		Script: []Press{press("n n n", "the phrase would have come: another word stands there"), press("pgdown", "the text goes on without it"), press("u r n n n", "without the ban the phrase comes")},
		Say:    "A phrase is only known once it is written, so it is taken back."},
	{Prompt: "What is the capital of France?<think>", preset: "chat", Kind: "thinking budget", watch: "after eight tokens of thinking the end of the block is forced, token by token",
		Set:    map[string]any{"order": "lab", "thinking_budget": int64(8)},
		Script: []Press{press("pgdown", "the budget is used up: the end is forced"), press("pgdown", "then the model is free again"), press("u r pgdown pgdown", "without a budget nothing closes it")},
		Say:    "A budget does not make thinking shorter, it cuts it off."},
	{Prompt: story, preset: "neutral", Kind: "watermark: green tokens", watch: "a secret list of a quarter of the tokens gains 4: which of the bars are green?",
		Set:    map[string]any{"order": "lab", "watermark_bias": 4.0},
		Script: []Press{press("u", "without it: the model's own bars"), press("U", "with it: a quarter of all tokens gains"), press("n n n", "a text that whoever has the key can tell")},
		Say:    "Nobody sees it in the text; who has the key can count it."},
	{Prompt: story, preset: "neutral", Kind: "drafts: a smaller model", watch: "S: a smaller model proposes four tokens, one pass checks them",
		Set:    map[string]any{"num_assistant_tokens": int64(4)},
		Script: []Press{press("S", "four tokens from the draft, one pass of the model"), press("n n n", "round after round"), press("x", "the model itself without one layer drafts"), press("n n", "it knows less without it")},
		Say:    "Checking four guesses costs one pass, and the law stays the model's."},
	{Prompt: "The capital of France is", preset: "greedy", Kind: "drafts: the text, guesses", watch: "S, then x: what the text said before is a draft, and so are the model's own guesses",
		Set:    map[string]any{"num_assistant_tokens": int64(4)},
		Script: []Press{press("pgdown pgdown pgdown", "the text repeats itself"), press("S x x", "ngram drafts what followed the same words before"), press("n", "no second model is needed"), press("x", "lookahead: many places are guessed at once"), press("n n n n n n n n n n", "n-grams of the guesses become drafts")},
		Say:    "A guess may come from anywhere: it is checked, not believed."},
	{Prompt: story, preset: "neutral", Kind: "several drafts: SpecInfer", watch: "S: three drafts a place, one pass along all branches",
		Set:    map[string]any{"draft_method": "specinfer", "num_drafts": int64(3)},
		Script: []Press{press("S", "three drafts of each place"), press("n n n", "if the first falls, the next is tested against what is left"), press("d", "many draws: the law is the model's")},
		Say:    "More guesses, one pass: the first that stands is taken."},
	{Prompt: story, preset: "neutral", Kind: "several drafts: SpecTr", watch: "S: each of the drafts is accepted in turn with min(1, p/(ρq))",
		Set:    map[string]any{"draft_method": "spectr", "num_drafts": int64(3)},
		Script: []Press{press("S", "three drafts of each place"), press("n n n", "all are tested against the same p ÷ ρ"), press("d", "many draws: the law is the model's")},
		Say:    "Another rule for the same guesses; the law stays the model's."},
}
