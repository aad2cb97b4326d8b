"""Names of autogen-ext that are not documented as public, in one place: what members of Magentic-One are made of."""

from __future__ import annotations

from autogen_ext.agents.file_surfer._markdown_file_browser import MarkdownFileBrowser
from autogen_ext.agents.magentic_one._magentic_one_coder_agent import MAGENTIC_ONE_CODER_SYSTEM_MESSAGE as CODER_PROMPT

__all__ = ["BROWSER", "CODER_PROMPT", "MarkdownFileBrowser"]

BROWSER = "_browser"
"""Attribute of a FileSurfer: what it opens files with."""
