"""LangGraph's objects as parts of text and as plain data, and edited parts written back into them."""
