"""The built web page: files with their caching, and one page for every address of the interface."""

from __future__ import annotations

import re
import secrets
from html import escape
from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from backend.api.auth_middleware import origin
from backend.api.compressed_answers import accepts_gzip
from backend.api.dependencies import StoreDep
from backend.errors import NotFound
from backend.services.preview_picture import HEIGHT, WIDTH, preview_picture
from backend.services.preview_share import preview

PACKAGE = Path(__file__).parents[1]
NONCE_PLACEHOLDER = "__CSP_NONCE__"
FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = (
    "<!doctype html><title>Stallscope</title><p>The web page is not built: run <code>make build</code>. "
    "The API is at <a href='/api/openapi.json'>/api/openapi.json</a>."
)

INVESTIGATION_PAGE = re.compile(
    r"[0-9A-Za-z_-]{1,64}"
    r"(/(timeline|rtt|requests|state|packets|files|report|findings(/[^/]{1,200})?|connections(/\d{1,15})?)?)?"
)
"""What can be the address of a page, below /i/. The pages are those of the router (frontend/src/app/router.tsx)."""
NOT_FOUND = 404

router = APIRouter(include_in_schema=False)


def page_folder() -> Path:
    """Inside the package when installed from a wheel, in the front end's folder in a checkout."""
    installed = PACKAGE / "web"
    return installed if installed.is_dir() else PACKAGE.parent / "frontend" / "dist"


def content_policy(nonce: str) -> str:
    """Scripts from here alone; styles from here, or those that carry this answer's nonce."""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@router.get("/")
@router.get("/new")
@router.get("/capture")
@router.get("/detectors")
@router.get("/compare")
@router.get("/ci")
@router.get("/settings")
def page() -> Response:
    """The page; the address inside it is the browser's matter."""
    return _page("")


@router.get("/detectors/{rest:path}")
def rule_page(rest: str) -> Response:
    """The same for one rule."""
    del rest
    return _page("")


@router.get("/i/{rest:path}")
def investigation_page(rest: str) -> Response:
    """The same for an investigation. Whether there is one is not decided here, only that no address looks so."""
    return _page("", status=200 if INVESTIGATION_PAGE.fullmatch(rest) else NOT_FOUND)


@router.get("/s/{share_id}/preview.png")
def shared_picture(store: StoreDep, share_id: str) -> Response:
    """What chats show beside the title, where the link's maker wanted that. Reading it is no opening."""
    picture = preview_picture(store, share_id)
    return Response(picture, media_type="image/png", headers={"Cache-Control": "no-cache"})


@router.get("/s/{share_id}")
@router.get("/s/{share_id}/{rest:path}")
def shared_page(request: Request, store: StoreDep, share_id: str, rest: str = "") -> Response:
    """The same for a share link, with what chats show of it. Reading it is no opening: chats fetch every link."""
    del rest
    shown = preview(store, share_id)
    tags = {
        "og:title": shown.title,
        "og:description": shown.description,
        "og:type": "website",
        "og:site_name": "Stallscope",
    }
    if shown.has_picture:
        tags |= {
            "og:image": f"{origin(request)}/s/{share_id}/preview.png",
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
        }
    return _page("".join(f'<meta property="{name}" content="{escape(text)}">' for name, text in tags.items()))


def not_found_page() -> Response:
    """The page, which says that there is nothing at the address."""
    return _page("", status=NOT_FOUND)


def _page(tags: str, status: int = 200) -> Response:
    index = page_folder() / "index.html"
    nonce = secrets.token_urlsafe(16)
    html = index.read_text(encoding="utf-8") if index.is_file() else NOT_BUILT
    return HTMLResponse(
        html.replace(NONCE_PLACEHOLDER, nonce).replace("</head>", f"{tags}</head>", 1),
        status_code=status,
        headers={"Content-Security-Policy": content_policy(nonce), "Cache-Control": "no-cache"},
    )


@router.get("/api")
@router.get("/api/{rest:path}")
def no_endpoint(rest: str = "") -> Response:
    """Below the API there are no files: an address that is none of its own is nothing that anybody decided about."""
    del rest
    raise NotFound("There is nothing at this address.")


@router.get("/{path:path}")
def asset(request: Request, path: str) -> Response:
    """A file of the page; to a browser that opens another address, the page that says so. The names in assets/ carry
    a hash of their content, so they never go stale. What the build has packed travels so."""
    # Looked for among the files that there are: an address is never given to the file system, whatever it holds.
    folder = page_folder()
    file = next((each for each in folder.rglob("*") if each.relative_to(folder).as_posix() == path), None)
    if file is None or file.is_symlink() or not file.is_file():
        if "text/html" in request.headers.get("accept", ""):
            return not_found_page()
        raise NotFound("There is nothing at this address.")
    headers = {"Cache-Control": FOREVER if path.startswith("assets/") else "no-cache"}
    packed = file.with_name(f"{file.name}.gz")
    if not packed.is_file() or packed.is_symlink():
        return FileResponse(file, headers=headers)
    headers["Vary"] = "Accept-Encoding"
    if not accepts_gzip(request.headers):
        return FileResponse(file, headers=headers)
    media_type = guess_type(file.name)[0] or "application/octet-stream"
    return FileResponse(packed, media_type=media_type, headers={**headers, "Content-Encoding": "gzip"})
