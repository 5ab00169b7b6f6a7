"""How often a changed claim is accepted and a true one refused, over a folder of made-up sources."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

import pytest

from capital_kit.citations import SourceStore, verify_report


def words(text: str) -> list[str]:
    return text.split()


NAMES = ["格罗替宁", "塔维珠单抗", "明澈片", "安瑞胶囊", "柏诺注射液", "思弥乳膏", "诺唯贴剂", "凯林缓释片"]
LATIN = ["grelotine", "tavizumine", "belnoril", "sorvaxin", "quintapril", "mordelane"]
WORDS_ZH = words("""
    患者 疗效 安全 剂量 治疗 随访 缓解 复发 感染 指标 基线 终点 改善 下降 升高 观察 研究 中心 人群 分层
    对照 显著 差异 事件 肝脏 肾脏 血压 心率 体重 饮食 运动 睡眠 疼痛 评分 问卷 依从 停药 减量 加量 联合
    单药 一线 二线 维持 诱导 巩固 预后 生存 进展 病灶 影像 活检 病理 分期 分型 突变 表达 受体 抗体 细胞
    收入 利润 成本 费用 毛利 订单 产能 库存 渠道 客户 价格 份额 增速 需求 供给 政策 补贴 税率 汇率 利率
    资产 负债 现金 分红 回购 融资 并购 合同 交付 验收 研发 专利 注册 上市 招标 集采 医保 谈判 准入 终端
    区域 海外 出口 进口 关税 物流 仓储 原料 能耗 排放 环保 安监 培训 招聘 薪酬 激励 治理 审计 披露 评级
""")
WORDS_EN = words("""
    median survival response treatment placebo cohort baseline endpoint relapse infection kidney liver weight
    pressure sleep pain score adherence dose induction maintenance imaging biopsy staging mutation receptor
    revenue margin backlog capacity inventory channel pricing demand supply subsidy tariff dividend leverage
""")
UNITS_ZH = ["个月", "例", "mg", "%", "亿元", "周", "次"]
UNITS_EN = ["months", "patients", "mg", "%", "weeks", "cycles"]
SECTIONS, SENTENCES = 24, 30


class Source:
    """A guideline whose sections are made of sentences, and the facts that each sentence states."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.sections = [[self.sentence(n % 2 == 0) for _ in range(SENTENCES)] for n in range(SECTIONS)]

    def sentence(self, chinese: bool) -> dict[str, str]:
        pick = self.draw.choice
        unit = pick(UNITS_ZH if chinese else UNITS_EN)
        number = (
            f"{self.draw.uniform(10, 990):.1f}"
            if self.draw.random() < 0.6
            else f"{self.draw.randint(11, 9800)}"
        )
        code = f"{pick('ABKQX')}{pick('DLPRT')}-{self.draw.randint(10, 990)}"
        if chinese:
            run = "".join(pick(WORDS_ZH) for _ in range(self.draw.randint(3, 6)))
            quote = "".join(pick(WORDS_ZH) for _ in range(4))
            name = pick(NAMES)
            text = f"{name}{run}为{number}{'' if unit in '%亿元' else ' '}{unit}，编号{code}，称“{quote}”"
        else:
            run = " ".join(pick(WORDS_EN) for _ in range(5))
            quote = " ".join(pick(WORDS_EN) for _ in range(3))
            name = pick(LATIN)
            text = f'{name} {run} was {number}{"" if unit == "%" else " "}{unit} in {code}, called "{quote}"'
        return {
            "text": text,
            "run": run,
            "number": number,
            "unit": unit,
            "code": code,
            "quote": quote,
            "name": name,
        }

    def write(self, root: Path) -> None:
        lines, toc = [], {}
        for number, section in enumerate(self.sections):
            toc[f"§{number}"] = {"start_line": len(lines) + 1, "end_line": len(lines) + len(section)}
            lines += [f"{fact['text']}{'。' if number % 2 == 0 else '.'}" for fact in section]
        (root / "guidelines").mkdir(parents=True)
        (root / "guidelines/RATES.txt").write_text("\n".join(lines), encoding="utf-8")
        (root / "guidelines/RATES.toc.json").write_text(json.dumps(toc), encoding="utf-8")


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> tuple[Source, Path]:
    made, root = Source(11), tmp_path_factory.mktemp("rates") / "sources"
    made.write(root)
    return made, root


def accepted(root: Path, claims: list[tuple[str, int]], scope: str = "section") -> list[bool]:
    """Return which claims are verified against the sections of these numbers."""
    text = "\n\n".join(f"{claim}[guideline:RATES:§{section}]。" for claim, section in claims)
    verdict = verify_report(text, root, format="text", scope=scope, store=SourceStore())
    assert len(verdict.citations) == len(claims)
    return [citation.verified for citation in verdict.citations]


def say(line: str) -> None:
    """Show a rate; pytest prints it with -rP."""
    sys.stdout.write(f"{line}\n")


def share(values: list[bool]) -> float:
    return sum(values) / len(values)


def whole(section: list[dict[str, str]]) -> str:
    return "\n".join(fact["text"] for fact in section)


def other_number(draw: random.Random, number: str) -> str:
    """Return the number with a digit changed, moved, added or lost, or its point moved."""
    at = draw.choice([place for place, char in enumerate(number) if char.isdigit()])
    changed = [
        number[:at] + draw.choice("123456789") + number[at + 1 :],
        number + "1",
        "1" + number,
        number.replace(".", ""),
        number[1:] if number[1].isdigit() else number,
        number[1] + number[0] + number[2:],
    ]
    return draw.choice([new for new in changed if new != number and re.fullmatch(r"[0-9]+(\.[0-9]+)?", new)])


def changed(
    draw: random.Random, fact: dict[str, str], kind: str, section: list[dict[str, str]]
) -> str | None:
    """Return the sentence with one thing changed to what the section does not say; None where it does."""
    text, there = fact["text"], whole(section)
    if kind == "number":
        new = other_number(draw, fact["number"])
        return (
            None
            if re.search(rf"(?<![0-9.]){re.escape(new)}(?![0-9.])", there)
            else text.replace(fact["number"], new, 1)
        )
    if kind == "unit":
        units = UNITS_ZH if fact["unit"] in UNITS_ZH and "，" in text else UNITS_EN
        new = draw.choice([unit for unit in units if unit != fact["unit"]])
        return text.replace(f"{fact['number']} {fact['unit']}", f"{fact['number']} {new}").replace(
            f"{fact['number']}{fact['unit']}", f"{fact['number']}{new}"
        )
    if kind == "id":
        new = fact["code"][:-1] + draw.choice("0123456789")
        return None if new in there else text.replace(fact["code"], new)
    if kind == "quote":
        at = draw.randrange(len(fact["quote"]) - 1)
        new = fact["quote"][:at] + ("鑫" if "，" in text else "q") + fact["quote"][at + 1 :]
        return text.replace(f"{fact['quote']}", new) if new != fact["quote"] else None
    if kind == "word" and "，" not in text:
        old = draw.choice(fact["run"].split())
        new = draw.choice(["lipid", "stroke", "royalty", "asthma", old + "s", old[:-1]])
        return text.replace(f" {old} ", f" {new} ", 1)
    if kind == "name":
        names = NAMES if "，" in text else LATIN
        new = draw.choice([name for name in names if name != fact["name"]])
        return None if new in there else text.replace(fact["name"], new)
    return None


@pytest.mark.parametrize("kind", ["number", "unit", "id", "quote", "word", "locator"])
def test_no_changed_claim_is_accepted(source, kind):
    made, root = source
    draw = random.Random(3)
    claims = []
    for number, section in enumerate(made.sections):
        for fact in section:
            if kind == "locator":
                claims.append((fact["text"], (number + 2) % SECTIONS))
            elif new := changed(draw, fact, kind, section):
                claims.append((new, number))
    rate = share(accepted(root, claims))
    say(f"{kind}: {rate:.1%} of {len(claims)} changed claims accepted")
    assert len(claims) >= 300
    assert rate == 0


def test_true_claims_are_accepted(source):
    made, root = source
    claims = [(fact["text"], number) for number, section in enumerate(made.sections) for fact in section]
    for scope in ("section", "near"):
        rate = share(accepted(root, claims, scope))
        say(f"true claims, {scope}: {rate:.1%} of {len(claims)} accepted")
        assert rate >= 0.98


def recut(draw: random.Random, run: str) -> str:
    """Return what a writer makes of a run: a function character within, an end left off."""
    words = [run[at : at + 2] for at in range(0, len(run), 2)]
    cut = draw.randrange(1, len(words))
    return "".join(words[:cut]) + draw.choice(["的", "", "和"]) + "".join(words[cut:])


def test_chinese_runs_of_other_documents(source):
    """Claims that a document of the same domain makes, and this one does not."""
    made, root = source
    draw = random.Random(5)
    other = Source(12)
    zh = range(0, SECTIONS, 2)
    false = [
        (fact["run"], number)
        for number in zh
        for fact in other.sections[number]
        if fact["run"] not in whole(made.sections[number])
    ]
    swapped = [
        (fact["run"].replace(fact["run"][2:4], draw.choice(WORDS_ZH), 1), number)
        for number in zh
        for fact in made.sections[number]
    ]
    swapped = [(run, number) for run, number in swapped if run not in whole(made.sections[number])]
    true = [(recut(draw, fact["run"]), number) for number in zh for fact in made.sections[number]]
    for scope, most in (("section", 0.04), ("near", 0.015)):
        rates = share(accepted(root, false, scope)), share(accepted(root, swapped, scope))
        kept = share(accepted(root, true, scope))
        say(
            f"Chinese runs, {scope}: false accept {rates[0]:.1%} of {len(false)} foreign, {rates[1]:.1%} of "
            f"{len(swapped)} with a word changed; true accept {kept:.1%} of {len(true)}"
        )
        assert rates[0] <= most
        assert rates[1] <= 0.04
        assert kept >= 0.98


def test_negations_are_refused_or_warned_of(tmp_path):
    (tmp_path / "pubmed").mkdir()
    pairs = [
        ("格罗替宁显著降低复发风险", "格罗替宁未显著降低复发风险"),
        ("推荐儿童使用该药", "不推荐儿童使用该药"),
        ("the drug improved survival", "the drug never improved survival"),
        ("patients did relapse", "patients did not relapse"),
        ("无需调整剂量", "需调整剂量"),
        ("no deaths occurred", "deaths occurred"),
        ("该药没有获批", "该药获批"),
    ]
    for number, pair in enumerate(pairs):
        for way, (said, cited) in enumerate((pair, pair[::-1])):
            key = f"{number + 1}{way}"
            record = {"pmid": key, "title": "T", "abstract": f"Before. {cited}. After."}
            (tmp_path / f"pubmed/{key}.json").write_text(json.dumps(record), encoding="utf-8")
            (item,) = verify_report(f"{said}[pmid:{key}:abstract]", tmp_path).citations
            codes = {notice.code for notice in item.warnings}
            assert not item.verified or "negation" in codes, (said, cited)


def test_the_number_of_the_other_arm_is_warned_of_when_it_stands_apart(tmp_path):
    (tmp_path / "pubmed").mkdir()
    between = "Patients came every week. " * 30
    abstract = f"Response was 58.7% with grelotine. {between}Response was 31.2% with placebo."
    record = {"pmid": "1", "title": "T", "abstract": abstract}
    (tmp_path / "pubmed/1.json").write_text(json.dumps(record), encoding="utf-8")
    text = "Grelotine had 31.2%[pmid:1:abstract]."
    (item,) = verify_report(text, tmp_path).citations
    assert "scattered" in {notice.code for notice in item.warnings}
    assert not verify_report(text, tmp_path, scope="near").citations[0].verified
