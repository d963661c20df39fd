"""Pictures of an investigation as SVG: drawn as the page draws them, from the answers that the page would get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from backend.api.inner_answers import Inner, InnerProblem, inner_answers
from backend.api.routes.charts import MAX_ID
from backend.errors import NotFound
from backend.services.draw_picture import Call, call_picture
from backend.services.redaction.declared import Asked, shareable
from backend.services.scope import NOT_SHARED
from backend.text_classes import ProseText

router = APIRouter(tags=["pictures"])

MEDIA_TYPE = "image/svg+xml"
POLICY = "default-src 'none'; sandbox"
OVERVIEW_PX = 1200


class Svg(Response):
    """A picture."""

    media_type = MEDIA_TYPE


InnerDep = Annotated[Inner, Depends(inner_answers)]
Theme = Annotated[Literal["light", "dark"], Query(description="Of the page")]
WidthPx = Annotated[int, Query(alias="width", ge=640, le=2400, description="Width of the picture in px")]
WindowText = Annotated[
    str,
    Asked.PLAIN,
    Query(
        alias="w",
        pattern=r"^-?[0-9]{1,16}~[1-9][0-9]{3,15}$",
        description="`from~duration`, ns after t0, as in the page's address; without it what the page opens on",
    ),
]
Finding = Annotated[str, Asked.PLAIN, Query(max_length=200, description="Id of the finding to highlight")]
Instance = Annotated[int | None, Query(ge=1, le=MAX_ID, description="One instance of that finding")]
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}}


@router.get("/timeline.svg", response_model=ProseText, response_class=Svg, responses=PICTURE)
@shareable(finding=True, view="open", drawn=True)
async def get_timeline_picture(
    request: Request,
    inner: InnerDep,
    window: WindowText = "",
    finding: Finding = "",
    instance: Instance = None,
    theme: Theme = "light",
    width_px: WidthPx = 1200,
) -> Response:
    """The timeline: lanes, marks and findings in a window, with title, legend, zero and source."""
    selected = f"{finding}~{instance}" if finding and instance else finding
    asked = {
        "theme": theme,
        "width_px": width_px,
        "w": window,
        "sel": selected,
        "source": _source(request, "timeline"),
    }
    return await _answered(request, partial(_timeline, inner, asked, finding))


async def _timeline(inner: Inner, asked: dict[str, Any], finding: str) -> str:
    report = await inner.json("report/outline", {})
    if finding and all(each["id"] != finding for each in report["findings"]):
        raise NotFound("There is no finding of this name.")
    overview = await inner.json("timeline", {"px": OVERVIEW_PX})
    if not overview["lanes"]:
        raise NotFound("No capture was given, so there is nothing to draw on a timeline.")
    given = {"overview": overview, "report": _telling(report), "asked": asked}
    window = await _call("timelineRequest", given)
    return await _drawn("timeline", {**given, "timeline": await inner.json("timeline", window)})


def _telling(report: dict[str, Any]) -> dict[str, Any]:
    """What a timeline shows of the report."""
    keys = ("id", "title", "count", "severity", "role", "detector")
    return {
        "diagnoses": [{"findings": each["findings"]} for each in report["diagnoses"]],
        "findings": [{key: each.get(key) for key in keys} for each in report["findings"]],
    }


@router.get("/rtt.svg", response_model=ProseText, response_class=Svg, responses=PICTURE)
@shareable(drawn=True)
async def get_rtt_picture(
    request: Request,
    inner: InnerDep,
    window: WindowText = "",
    theme: Theme = "light",
    width_px: WidthPx = 1200,
) -> Response:
    """Round-trip times in a window, one panel for each pair of hosts and vantage point."""
    asked = {"theme": theme, "width_px": width_px, "w": window, "sel": "", "source": _source(request, "rtt")}
    return await _answered(request, partial(_rtt, inner, asked))


async def _rtt(inner: Inner, asked: dict[str, Any]) -> str:
    whole = await inner.json("rtt/chart", {"px": OVERVIEW_PX})
    if not whole["series"]:
        raise NotFound("No round trip was measured, so there is nothing to draw.")
    groups = (await inner.json("rtt/groups", {}))["items"]
    window = await _call("rttRequest", {"whole": whole, "asked": asked})
    chart = await inner.json("rtt/chart", window)
    return await _drawn("rtt", {"whole": whole, "chart": chart, "groups": groups, "asked": asked})


@router.get("/connections/{cid}/ladder.svg", response_model=ProseText, response_class=Svg, responses=PICTURE)
@shareable(finding=True, view="unfiltered", drawn=True)
async def get_ladder_picture(
    request: Request, inner: InnerDep, cid: Annotated[int, Path(ge=0, le=MAX_ID)], theme: Theme = "light"
) -> Response:
    """The packets of a connection between its vantage points."""
    asked = {"theme": theme, "source": _source(request, f"connections/{cid}")}
    return await _answered(request, partial(_ladder, inner, cid, asked))


@router.get("/requests/{rid}/breakdown.svg", response_model=ProseText, response_class=Svg, responses=PICTURE)
@shareable(view="unfiltered", drawn=True)
async def get_breakdown_picture(
    request: Request, inner: InnerDep, rid: Annotated[int, Path(ge=0, le=MAX_ID)], theme: Theme = "light"
) -> Response:
    """The latency breakdown of a request."""
    asked = {"theme": theme, "source": _source(request, "requests")}
    return await _answered(request, partial(_breakdown, inner, rid, asked))


async def _ladder(inner: Inner, cid: int, asked: dict[str, Any]) -> str:
    return await _drawn("ladder", {"detail": await inner.json(f"connections/{cid}", {}), "asked": asked})


async def _breakdown(inner: Inner, rid: int, asked: dict[str, Any]) -> str:
    detail = await inner.json(f"requests/{rid}", {})
    if not detail["total_ms"]:
        raise NotFound("The end of this request was not captured, so there is no breakdown.")
    return await _drawn("breakdown", {"detail": detail, "asked": asked})


async def _answered(request: Request, draw: Callable[[], Awaitable[str]]) -> Response:
    try:
        svg = await draw()
    except InnerProblem as problem:
        return problem.response
    except NotFound:
        if "share_id" in request.path_params:
            # As for what is left out: nobody learns which of the two it is.
            raise NotFound(NOT_SHARED) from None
        raise
    return Svg(svg, headers={"Cache-Control": "private, no-cache", "Content-Security-Policy": POLICY})


async def _call(call: Call, given: dict[str, Any]) -> Any:
    return await anyio.to_thread.run_sync(call_picture, call, given)


async def _drawn(call: Call, given: dict[str, Any]) -> str:
    return str(await _call(call, given))


def _source(request: Request, page: str) -> str:
    """The page that shows the same; behind a link without its secret."""
    own, share = (request.path_params.get(key) for key in ("investigation_id", "share_id"))
    folder = f"/i/{own}" if own else f"/s/{share}"
    return f"Stallscope · {getattr(request.state, 'origin', '')}{folder}/{page}"
