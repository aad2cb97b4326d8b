"""Real samples of the frameworks' own repositories, run unchanged under recording; nothing of them is kept here."""
