"""Where the material of a task lies: in a file of a temporary folder, and on a page of this machine.

Neither the name of the folder nor the port shows in what agents see: both differ from run to run.
"""

from __future__ import annotations

import html
import io
import tempfile
import threading
import urllib.request
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from markitdown import MarkItDown

from aegis_autogen.testing.magentic._compat import MarkdownFileBrowser

__all__ = ["Desk", "FolderBrowser", "Pages", "pages"]


class FolderBrowser(MarkdownFileBrowser):
    """The file browser of a `FileSurfer`, whose paths begin at the folder that it may see.

    Args:
        like: the browser whose place it takes; its converter is slow to make, so it is shared.
        folder: where the files are.
    """

    def __init__(self, like: MarkdownFileBrowser, folder: str) -> None:
        vars(self).update(vars(like))
        self._folder = self._base_path = str(Path(folder).resolve())
        self.history = [(self._folder, 0.0)]
        self.page_title = None
        self._set_page_content("")

    @property
    def path(self) -> str:
        """The path of what is open, from the folder down."""
        return "/" + str(Path(self.history[-1][0]).relative_to(self._folder)).removeprefix(".")

    def set_path(self, path: str) -> None:
        """Open a file or folder, given from the folder down."""
        below = path.removeprefix(self._folder).lstrip("/")
        super().set_path(str(Path(self._folder) / below))


class Pages:
    """A web server on the loopback interface, with a port that the system chooses."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        texts = self._texts

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = texts.get(self.path)
                body = b"" if text is None else text.encode()
                self.send_response(404 if text is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.put("/", "Start", "Nothing is here.")
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    @property
    def address(self) -> str:
        """Where the server listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def put(self, path: str, title: str, text: str) -> None:
        """Serve a text as a page."""
        head = f"<!DOCTYPE html><html><head><title>{html.escape(title)}</title></head>"
        lines = "".join(f"<p>{html.escape(line)}</p>\n" for line in text.splitlines())
        self._texts[path] = f"{head}<body><h1>{html.escape(title)}</h1>\n{lines}</body></html>"

    def remove(self, path: str) -> None:
        """Serve it no longer."""
        self._texts.pop(path, None)

    def fetch(self, path: str) -> str:
        """A page as Markdown, fetched over HTTP."""
        with self._open(self.address + path, timeout=10) as response:
            content = response.read()
        return str(_converter().convert_stream(io.BytesIO(content), file_extension=".html").text_content)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


@cache
def pages() -> Pages:
    """The server of this process."""
    return Pages()


@cache
def _converter() -> MarkItDown:
    return MarkItDown()


class Desk:
    """A temporary folder with the material of one task, and a page with the same."""

    def __init__(self, file: str, title: str, text: str) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="aegis-magentic-")
        self.folder = self._temporary.name
        (Path(self.folder) / file).write_text(text, encoding="utf-8")
        self._page = f"/{Path(self.folder).name}"
        self.address = pages().address + self._page
        pages().put(self._page, title, text)

    def read_page(self) -> str:
        """The page, fetched anew."""
        return pages().fetch(self._page)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pages().remove(self._page)
        self._temporary.cleanup()
