"""PubMed: flat records, esummary answers (no abstract in them), efetch XML turned into dicts."""

from __future__ import annotations

from typing import Any

from capital_kit.citations._layouts._leaves import field, found, is_same, leaves, one, walk
from capital_kit.citations._sources import Refused

_LABELS = ("@Label", "Label", "@NlmCategory")


def parts(data: Any, pmid: str, locator: str) -> list[str]:
    """Return title, abstract, a labelled part of the abstract, both, or a field of a flat record."""
    record = _flat(data, pmid)
    if not locator:
        return found([*leaves(record.get("title")), *_abstract(record, "")])
    if locator == "abstract" or locator.startswith("abstract:"):
        return found(_abstract(record, locator.partition(":")[2].strip()))
    return field(record, locator)


def _flat(data: Any, pmid: str) -> dict[str, Any]:
    """Bring every layout into the flat one."""
    if not isinstance(data, dict):
        raise Refused("unsupported_layout")
    article_set = data.get("PubmedArticleSet", data)
    if isinstance(article_set, dict) and ("PubmedArticle" in article_set or "MedlineCitation" in article_set):
        return _article(article_set, pmid)
    if isinstance(data.get("result"), dict):
        record = data["result"].get(pmid)
        if not isinstance(record, dict) or not is_same(record.get("uid"), pmid):
            raise Refused("identity_mismatch")
        return record
    own = [data[key] for key in ("pmid", "uid", "PMID") if key in data]
    if not own and "title" not in data and "abstract" not in data:
        raise Refused("unsupported_layout")
    if not all(is_same(value, pmid) for value in own):
        raise Refused("identity_mismatch")
    return data


def _article(article_set: dict[str, Any], pmid: str) -> dict[str, Any]:
    articles = article_set.get("PubmedArticle", article_set)
    rows = articles if isinstance(articles, list) else [articles]
    citations = [walk(row, "MedlineCitation") for row in rows]
    citation = one([c for c in citations if isinstance(c, dict) and is_same(c.get("PMID"), pmid)])
    article = citation.get("Article")
    if not isinstance(article, dict):
        raise Refused("unsupported_layout")
    return {"title": article.get("ArticleTitle"), "abstract": walk(article, "Abstract", "AbstractText")}


def _abstract(record: dict[str, Any], label: str) -> list[str]:
    abstract = record.get("abstract")
    sections = abstract if isinstance(abstract, list) else [abstract]
    if not label:
        return [text for section in sections for text in leaves(_text(section))]
    chosen = [s for s in sections if isinstance(s, dict) and any(s.get(key) == label for key in _LABELS[:2])]
    return leaves(_text(one(chosen))) if chosen else []


def _text(section: Any) -> Any:
    if not isinstance(section, dict):
        return section
    return {key: value for key, value in section.items() if not key.startswith("@") and key != "Label"}
