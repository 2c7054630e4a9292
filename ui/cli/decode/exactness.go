package decode

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/ui/cli/console"
)

// tellExactness says which settings were not exact over a server that does not
// give all, and that the server read the text as other tokens.
func tellExactness(sys console.System, v engine.View) {
	e := record.NewEnd(v, false)
	for _, key := range slices.Sorted(maps.Keys(e.Inexact)) {
		console.Complain(sys.Err, fmt.Errorf("%s is not exact over this server: at %d of %d steps its result may be another than on whole rows of logits", key, e.Inexact[key], len(v.Steps)))
	}
	if e.Strayed > 0 {
		console.Complain(sys.Err, errors.New("the server read the text as other tokens than were chosen: "+
			fmt.Sprintf("the probabilities of %d of %d steps follow its own split; give it the text as a prompt to go on from that, or take \"server's own split\" from the commands of the lab", e.Strayed, len(v.Steps))))
	}
}
