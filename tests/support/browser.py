import shutil
from html.parser import HTMLParser
from xml.etree.ElementTree import TreeBuilder

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


class _Tree(HTMLParser):
    def __init__(self):
        super().__init__()
        self.builder, self.open = TreeBuilder(), []
        self.handle_starttag("page", [])

    def handle_starttag(self, tag, attrs):
        self.builder.start(tag, dict(attrs))
        self.open.append(tag)
        if tag == "meta":
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.builder.end(tag)

    def handle_startendtag(self, tag, attrs):
        self.builder.start(tag, dict(attrs))
        self.builder.end(tag)

    def handle_data(self, data):
        self.builder.data(data)


def read_html(page):
    """The elements of a page or of a part of one; each must be closed in order."""
    tree = _Tree()
    tree.feed(page)
    tree.close()
    tree.handle_endtag("page")
    assert not tree.open
    return tree.builder.close()
