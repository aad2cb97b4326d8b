"""Messages and results of CAMEL as parts of plain text, and back."""
