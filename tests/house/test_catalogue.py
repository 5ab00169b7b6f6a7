"""Both languages say the same things, and the code asks for nothing that is not there."""

import re
import string
from pathlib import Path

import pytest

from capital_kit import errors
from capital_kit._core.labels import catalogue

PACKAGE = Path(errors.__file__).parent
ENTRIES = catalogue()
AREA_OF = {
    cls.__name__: cls.area
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, errors.KitError)
}


@pytest.mark.parametrize("key", ENTRIES)
def test_entry_has_both_languages_with_the_same_placeholders(key):
    entry = ENTRIES[key]
    assert set(entry) == {"zh", "en"}
    assert all(text.strip() for text in entry.values())
    fields = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in entry.values()]
    assert fields[0] == fields[1]


def test_every_error_has_a_hint():
    sentences = {key.replace(".error.", ".") for key in ENTRIES if ".error." in key}
    hints = {key.replace(".hint.", ".") for key in ENTRIES if ".hint." in key}
    assert sentences == hints


@pytest.mark.parametrize("key", ENTRIES)
def test_chinese_text_has_chinese_punctuation(key):
    assert not re.search(r"[\u4e00-\u9fff“”）][,:;?!(]|[,:;?!)][\u4e00-\u9fff“”]", ENTRIES[key]["zh"])


def asked_keys():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for key in re.findall(r'\btr\(\s*"([a-z_.0-9A-Z]+)"', text):
            yield path.name, key
        for cls, code, variant in re.findall(r'(\w+Error)\.of\(\s*"(\w+)"(?:,\s*"(\w+)")?', text):
            yield path.name, f"{AREA_OF[cls]}.error.{code}" + (f"_{variant}" if variant else "")
        for area, code in re.findall(r'\bNotice\(\s*"(\w+)",\s*"(\w+)"', text):
            yield path.name, f"{area}.notice.{code}"


def test_every_text_that_the_code_names_exists():
    missing = sorted({(name, key) for name, key in asked_keys() if key not in ENTRIES})
    assert missing == []
