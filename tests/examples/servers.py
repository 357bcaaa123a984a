"""A local web server with the faults of the servers that recipes use."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server(ThreadingHTTPServer):
    """Serves ``files``; sends only the first ``cut`` bytes of an answer if set; records ranges."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.cut, self.ranges = {}, None, []


class Handler(BaseHTTPRequestHandler):
    """Answer like a web server with ranges."""

    def do_GET(self):
        content = self.server.files.get(self.path)
        if content is None:
            return self.send_error(404)
        begun = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        self.server.ranges.append(begun)
        if begun >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            return self.end_headers()
        self.send_response(206 if begun else 200)
        if begun:
            self.send_header("Content-Range", f"bytes {begun}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - begun))
        self.end_headers()
        self.wfile.write(content[begun:][: self.server.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
