"""What the rules read out of a text: passages, figures, facts, conclusions, demands, and sites for edits."""
