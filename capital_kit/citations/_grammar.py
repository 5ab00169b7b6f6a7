"""Closed lists of grammar: the words with which claims are read.

They hold no facts. Nothing here names a paper, a drug, a guideline, a trial or a product, and
nothing here can ever become the answer of a resolver. What a source says is read from the source.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- anchors -------------------------------------------------------------------------------

SOURCE_TYPES = ("guideline", "pmid", "nct", "aact", "europepmc", "bioc", "evidence", "nmpa-page")

# --- sentences -----------------------------------------------------------------------------

ABBREVIATIONS = _words("""
    e.g i.e et al vs v cf approx ca fig figs tab no nos eq eqs ref refs sec dr prof mr mrs ms st inc ltd co
    corp u.s u.k u.n dept vol pp ed eds resp incl max min avg est
""")
TERMINALS = "。！？!?；"
OPENING = "([（【「『《“‘"
CLOSING = ")]）】」』》”’"
CLOSERS = CLOSING + "\"'"
REFERENCE_HEADINGS = frozenset({
    "参考文献", "参考资料", "引用文献", "资料来源", "脚注", "注释", "尾注",
    "references", "bibliography", "footnotes", "notes", "sources", "works cited",
})  # fmt: skip

# --- words that carry no claim of their own ------------------------------------------------

STOP_WORDS = _words("""
    a an the of in on at by to for from with as into onto upon about per via and or but so yet than then
    that this these those which who whom whose what when where while if because since until although
    though  i you he she it we they me him her us them my your his its our their  is are was were be
    been being am has have had having do does did doing will would shall should can could  may might
    must there here also such both each either between among within vs versus s
""")
HAN_FUNCTION = frozenset("的了和与及或在是为于对等把被向从也则且并而其该此之由将")
NEGATORS = _words("""
    no not without never nor neither none cannot
""")
HAN_NEGATORS = frozenset("不未无非没否")

# --- units ---------------------------------------------------------------------------------

UNIT_WORDS = _words("""
    month week day year hour minute second patient participant case event subject person fold time
    percent  percentage point million billion trillion thousand hundred yuan usd rmb cny eur dollar euro
    cycle dose  mg g kg ml l iu mmol mol bp bps
""")
MAGNITUDE_WORDS = frozenset({"thousand", "million", "billion", "trillion"})
HAN_MAGNITUDES = "万亿兆千百"
HAN_UNITS = (
    "个百分点", "百分点", "个基点", "基点", "个月", "个季度", "季度", "小时", "分钟", "毫克", "微克", "千克",
    "公斤", "毫升", "万亿美元", "万亿元", "万亿", "亿美元", "亿港元", "亿欧元", "亿元", "万美元", "万元",
    "美元", "港元", "欧元", "人民币",
    "亿股", "万股", "亿例", "万例", "万人次", "万人", "亿人", "人次", "千瓦时", "平方米", "万吨", "亿吨",
    "万辆", "万台", "万件", "万户", "万家", "万", "亿",
)  # fmt: skip
RANGE_WORDS = frozenset({"~", "-", "至", "到", "to", "–"})
# What numbers are not claims: counting things of the report itself.
LABEL_WORDS = (
    "第",
    "图",
    "表",
    "页",
    "附录",
    "章",
    "节",
    "figure",
    "fig.",
    "table",
    "page",
    "section",
    "chapter",
    "§",
    "appendix",
)

# --- markup --------------------------------------------------------------------------------

VOID_OR_INLINE = _words("""
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp
    small  span strike strong sub sup time tt u var wbr
""")
BLOCK_TAGS = _words("""
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption
    figure  footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main nav ol option p pre section
    select summary  table tbody td tfoot th thead title tr ul
""")
HIDDEN_TAGS = _words("""
    script style noscript template svg iframe object embed math
""")
RAW_TAGS = frozenset({"script", "style", "noscript", "iframe", "textarea", "title"})
VOID_TAGS = _words("""
    area base br col embed hr img input link meta param source track wbr
""")
HTML_TAGS = VOID_OR_INLINE | BLOCK_TAGS | HIDDEN_TAGS | RAW_TAGS | VOID_TAGS
