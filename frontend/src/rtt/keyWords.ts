/** Keys of the chart of round trips, for the dialog that lists all keys. */
export const RTT_KEYS: readonly (readonly [string, string])[] = [
  ["W S", "zoom in, zoom out (Shift: faster)"], ["A D", "pan (Shift: faster)"], [", .", "previous, next delayed sample of the chart"],
  ["[ ]", "previous, next group"], ["F", "fit the selected group"], ["0", "all data"], ["Backspace", "previous window"],
  ["T", "table instead of chart"], ["G", "slope guides on, off"], ["Enter", "open the sample's frame"], ["Esc", "leave"],
];
