package viz

// A Role is what a cell stands for. Everything drawn names a role; only a
// [Palette] knows colours.
type Role uint8

const (
	Plain     Role = iota // the terminal's own foreground
	Kept                  // a bar's final probability
	Lost                  // what the settings took from a bar
	Penalised             // a token whose logit was lowered
	Boosted               // what the settings added to a bar
	CutLine               // where a stage cut
	Chosen                // the token drawn
	Pinned                // a token the user follows
	Draw                  // the draw u
	Focus                 // the pane and the thing that keys act on
	Warning               // an error or a loss
	Inert                 // a setting without effect
	Muted                 // what may be read last
	Lane1
	Lane2
	Lane3
	Lane4
	Factual // text written under a preset
	Chat
	Creative
	Neutral
	Greedy
	Custom
	LostFill    // the cells of what was lost; its words are Lost
	RefusedFill // the cells of what a grammar refuses
	nRoles
)

// An Attr is a set of text attributes.
type Attr uint8

const (
	Bold Attr = 1 << iota
	Italic
	Underline
	Reverse
	nAttrs = 1 << iota
)

// An Ink is how a cell is drawn: its role and attributes. The zero Ink is
// plain text.
type Ink struct {
	Role Role
	Attr Attr
}

// With returns i with the attributes a added.
func (i Ink) With(a Attr) Ink { return Ink{i.Role, i.Attr | a} }

// A shade is one role's colour in every depth a terminal may have.
type shade struct {
	rgb  string // truecolor, "#RRGGBB"
	c256 uint8  // index in the 256-colour table
	c16  int8   // ANSI number, or -1 for the terminal's own foreground
	bold bool   // drawn bold where 16 colours must do
}

// shades holds dark and light colours of each role. The contrast of every
// entry is at least 4.5 against the usual backgrounds of its kind, 3 where a
// role only fills cells, and roles that stand side by side differ for
// colour-blind eyes too, which is why 256 colours are listed and not computed.
var shades = [nRoles][2]shade{
	Kept:      {{"#5B9BFF", 75, 12, false}, {"#2F62AE", 25, 4, false}},
	Lost:      {{"#8E8E8E", 245, 7, false}, {"#6A6A6A", 242, 8, false}},
	Penalised: {{"#F06A2A", 202, 9, false}, {"#7A1F00", 88, 1, false}},
	Boosted:   {{"#93F0CB", 122, 10, false}, {"#0C4A32", 23, 2, false}},
	CutLine:   {{"#DAC385", 179, 11, false}, {"#8C651D", 94, 3, false}},
	Chosen:    {{"#FFFFFF", 231, 15, true}, {"#000000", 16, 0, true}},
	Pinned:    {{"#FBF04B", 227, 11, false}, {"#57532F", 58, 3, false}},
	Draw:      {{"#FF5CB8", 205, 13, false}, {"#6F0C5E", 53, 5, false}},
	Focus:     {{"#70CEFB", 117, 14, false}, {"#206F90", 24, 6, false}},
	Warning:   {{"#FFB23E", 214, 11, true}, {"#8A4300", 94, 1, true}},
	Inert:     {{"#A3A3A3", 248, 7, false}, {"#606060", 59, 8, false}},
	Muted:     {{"#A8A8A8", 248, 7, false}, {"#5E5E5E", 59, 8, false}},
	Lane1:     {{"#5FD7D7", 80, 14, false}, {"#006D75", 24, 6, false}},
	Lane2:     {{"#E8D21A", 184, 3, false}, {"#C0182A", 160, 1, false}},
	Lane3:     {{"#C184BB", 139, 5, false}, {"#A0306A", 125, 13, false}},
	Lane4:     {{"#58A579", 72, 2, false}, {"#3F6F00", 22, 0, false}},
	Factual:   {{"#A8CDFB", 153, 12, false}, {"#2D62AB", 25, 4, false}},
	Chat:      {{"#FAFAFA", 231, -1, false}, {"#141414", 233, -1, false}},
	Creative:  {{"#DB8430", 172, 11, false}, {"#87540F", 94, 3, false}},
	Neutral:   {{"#949494", 246, 7, false}, {"#6A6A6A", 242, 8, false}},
	Greedy:    {{"#2DFF9C", 48, 10, false}, {"#1C4A31", 23, 2, false}},
	Custom:    {{"#E26DFA", 171, 13, false}, {"#6B1E60", 53, 5, false}},

	LostFill:    {{"#707070", 243, 7, false}, {"#8A8A8A", 245, 8, false}},
	RefusedFill: {{"#B05A2E", 130, 11, false}, {"#B8652F", 130, 3, false}},
}

// solidFills are the shades that stand for a segment of a bar where there is no
// colour, by the role that fills it: with colour the cell is full, since the eye
// sees a quarter of ink as a quarter of the contrast.
var solidFills = [nRoles]string{Boosted: "▓", LostFill: "░", RefusedFill: "╱"}

// alwaysBold are the roles that are bold at every depth: the token drawn must
// be found at a glance on any screen.
var alwaysBold = [nRoles]bool{Chosen: true}
