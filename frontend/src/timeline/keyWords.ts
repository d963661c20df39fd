/** Keys of the timeline in words, for the help. */
export const KEY_WORDS: readonly (readonly [string, string])[] = [
  ["W S", "zoom in, zoom out (Shift: faster)"], ["A D", "pan (Shift: faster)"], [", .", "previous, next mark"],
  ["[ ]", "previous, next instance of the finding"], ["F", "fit the selection"], ["0", "all data"],
  ["Backspace", "previous window"],   ["L", "lens on overlapping marks"], ["Z", "fold long stretches without marks, unfold them"], ["P", "pin the lane of the current mark to the top"],
  ["N", "note at the mark, else on the window"], ["T", "table instead of chart"], ["M", "time reference at the mark"],
  ["R", "every time: since first packet, since selected mark, wall clock"], ["Shift G", "guides on, off"], ["Y", "copy link"], ["/", "filter; Shift + Enter in it hides non-matching marks"],
  ["Enter", "open the mark"], ["Esc", "leave, close"],
  ["Ctrl + wheel", "zoom at the pointer; Shift + wheel pans; the plain wheel scrolls the page"],
  ["double click", "fit the clicked item; on a fold: zoom in"],
  ["drag", "on lanes selects a stretch of time, on the ruler pans"],
];
