"""Two reports side by side: what is new, gone, worse, better, and how sure that is."""
