"""The colours of the book's figures: one colour, one meaning, in every chapter."""

CURVE = "#2f7ebc"  # a function
SLOPE = "#e8590c"  # a derivative, a gradient
POINT = "#2b8a3e"  # a point that the text speaks of
INK = "#000000"  # axes and words; drawn in the colour of the page
