"""Figures as Vega-Lite specifications."""

from __future__ import annotations

from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def specification(figure: dict[str, Any]) -> dict[str, Any]:
    """Return a specification with its data inside."""
    panels = figure.get("panels")
    if panels:
        views = [_view({**figure, "panels": None, "series": [], **panel}) for panel in panels]
        own = figure.get("free_y") or _in_rows(panels[0])
        resolve = {"scale": {"y": "independent" if own else "shared", "color": "shared"}}
        return {"$schema": SCHEMA, "title": figure["title"], "hconcat": views, "resolve": resolve}
    return {"$schema": SCHEMA, **_view(figure)}


def _view(figure: dict[str, Any]) -> dict[str, Any]:
    view: dict[str, Any] = {"title": figure["title"], "description": figure.get("alt") or figure["title"]}
    if figure.get("heat"):
        return view | _heat(figure, figure["heat"])
    layers = [layer for i, s in enumerate(figure.get("series") or []) for layer in _series(figure, s, i)]
    for line in figure.get("lines") or []:
        at = {"x" if line.get("vertical") else "y": {"datum": line["at"]}}
        layers.append({"mark": {"type": "rule", "strokeDash": [2, 2], "color": "grey", "tooltip": line["label"]}, "encoding": at, "data": {"values": [{}]}})
    return view | {"layer": layers}


def _in_rows(figure: dict[str, Any]) -> bool:
    """Report whether the categories of a figure have a row each."""
    return any(s.get("style") in ("bars", "dots") for s in figure.get("series") or [])


def _series(figure: dict[str, Any], s: dict[str, Any], i: int) -> list[dict[str, Any]]:
    bars = s.get("style") in ("bars", "dots")
    names = figure.get("categories") or []
    rows = []
    for k, (x, y) in enumerate(zip(s["x"], s["y"])):
        place = names[int(x)] if names and x is not None and 0 <= int(x) < len(names) and (bars or x == int(x)) else x
        row = {"x": place, "y": y, "series": s["name"]}
        for end in ("lo", "hi"):
            if s.get(end):
                row[end] = s[end][k]
        rows.append(row)
    style = s.get("style") or "line"
    at, value = ("y", "x") if bars else ("x", "y")
    kind = "nominal" if names and all(isinstance(row["x"], str) for row in rows) else "quantitative"
    order: dict[str, Any] = {"sort": None} if kind == "nominal" else {}
    encoding = {
        at: {"field": "x", "type": kind, "title": figure["y_label"] if bars else figure["x_label"], **order, **_scale(figure, at)},
        value: {"field": "y", "type": "quantitative", "title": figure["x_label"] if bars else figure["y_label"], **_scale(figure, value)},
        "color": {"field": "series", "type": "nominal", "title": None},
    }
    marks: dict[str, Any] = {
        "bars": {"type": "bar"},
        "dots": {"type": "point", "filled": True},
        "points": {"type": "point", "filled": True},
        "line": {"type": "line", "point": True},
        "forecast": {"type": "line", "strokeWidth": 1, "strokeDash": [4, 2]},
        "bound": {"type": "line", "strokeWidth": 1, "color": "grey"},
    }
    data = {"values": rows}
    layers = []
    if s.get("lo") and s.get("hi"):
        ends = {**encoding, value: {**encoding[value], "field": "lo"}, value + "2": {"field": "hi"}}
        layers.append({"data": data, "mark": {"type": "rule"}, "encoding": ends})
    if style in marks:
        layers.append({"data": data, "mark": marks[style], "encoding": encoding})
    return layers


def _scale(figure: dict[str, Any], axis: str) -> dict[str, Any]:
    scale: dict[str, Any] = {}
    if figure.get(f"log_{axis}"):
        scale["type"] = "log"
    if figure.get(f"{axis}_lim"):
        scale["domain"] = figure[f"{axis}_lim"]
    elif not figure.get("non_negative"):
        scale["zero"] = False
    return {"scale": scale} if scale else {}


def _heat(figure: dict[str, Any], heat: dict[str, Any]) -> dict[str, Any]:
    rows = [{"row": r, "column": c, "z": z} for r, values in zip(heat["rows"], heat["z"]) for c, z in zip(heat["columns"], values)]
    return {
        "data": {"values": rows},
        "mark": "rect",
        "encoding": {
            "x": {"field": "column", "type": "nominal", "sort": None, "title": figure["x_label"]},
            "y": {"field": "row", "type": "nominal", "sort": None, "title": figure["y_label"]},
            "color": {"field": "z", "type": "quantitative", "title": heat["label"]},
        },
    }
