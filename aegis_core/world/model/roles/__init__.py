"""What each role does with what it sees: one function `speak(view, rate)` a role."""
