"""What the predicates read out of a turn: passages, amounts, claims, choices, requirements."""
