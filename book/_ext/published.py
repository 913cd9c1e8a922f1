"""What a published site has beside its pages: an extension of Sphinx.

There is always a page for addresses that lead nowhere. Once `html.baseurl` in _config.yml names the
address of the site, there are a sitemap too, and a card for each page that is shared. Once
`repository.url` names a repository, chapters have buttons that open them in Colab and Binder. Once
`make downloads` has made the book as PDF and EPUB, the start page leads to them.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx

LOST = """<h1>This page is not here</h1>
<p>The address may be an old one, or have a slip in it. Search the course, or begin at
<a href="{start}">the start page</a>.</p>"""


EXTRA = Path(__file__).parent.parent.parent / "_build" / "extra"


def setup(app: Sphinx) -> dict[str, Any]:
    """Load what does the work, and tell it the address."""
    config: Any = app.config
    address = config.html_baseurl or ""
    root = urlsplit(address).path.rstrip("/") + "/"
    app.setup_extension("notfound.extension")
    config.notfound_urls_prefix = root
    body = LOST.format(start=f"{root}book/start.html")
    config.notfound_context = {"title": "This page is not here", "body": body}
    if address:
        app.setup_extension("sphinx_sitemap")
        config.sitemap_url_scheme = "{link}"
        config.sitemap_show_lastmod = False
        app.setup_extension("sphinxext.opengraph")
        config.ogp_site_url = address
        config.ogp_site_name = config.project
        config.ogp_social_cards = {"image_mini": "book/images/icon.png", "line_color": "#0b5cad"}
    if not config.html_theme_options.get("repository_url"):
        config.html_theme_options.pop("launch_buttons", None)  # the theme fails on them
    if EXTRA.is_dir():
        config.html_extra_path = [str(EXTRA)]
        downloads = sorted(path.name for path in (EXTRA / "downloads").iterdir())
        config.html_context["downloads"] = downloads
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
