"""AutoGen's messages, requests and results as parts of text, and back."""
