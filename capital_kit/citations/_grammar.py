"""Closed lists of grammar: the words with which claims are read.

They hold no facts. Nothing here names a paper, a drug, a guideline, a trial or a product, and
nothing here can ever become the answer of a resolver. What a source says is read from the source.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- anchors -------------------------------------------------------------------------------

SOURCE_TYPES = ("guideline", "pmid", "nct", "aact", "europepmc", "bioc", "evidence", "nmpa-page")
# The type that a workspace adds.
STORED_TYPE = "dataset"

# --- sentences -----------------------------------------------------------------------------

ABBREVIATIONS = _words("""
    e.g i.e et al vs v cf approx ca fig figs tab no nos eq eqs ref refs sec dr prof mr mrs ms st inc ltd co
    corp u.s u.k u.n dept vol pp ed eds resp incl max min avg est
""")
TERMINALS = "。！？!?；"
OPENING = "([（【「『《“‘"
CLOSING = ")]）】」』》”’"
CLOSERS = CLOSING + "\"'"
# What may stand before an anchor without being a part of the claim.
SOURCE_LABELS = (
    "来源", "资料来源", "数据来源", "信息来源", "出处", "引自", "参见", "详见", "参考", "引用", "见",
    "source", "sources", "see", "ref", "refs", "reference", "references", "cf",
)  # fmt: skip
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
MAGNITUDE_WORDS = frozenset(
    {"thousand", "million", "billion", "trillion", "bn", "mn", "mln", "bln", "tn", "trn"}
)
# After a currency also these letters are sizes: $3.5b.
MONEY_SIZES = frozenset({"k", "m", "b", "t", "mm"})
HAN_MAGNITUDES = "万亿兆千百"
HAN_NUMERALS = "〇零一二两三四五六七八九十百千万亿"
# A Han unit is a size, a measure, or both: 万 + 吨, 亿 + 美元, 千 + 瓦时.
HAN_SIZES = ("万亿", "千亿", "百亿", "十亿", "千万", "百万", "十万", "亿", "万", "千", "百")
HAN_MEASURES = (
    "个百分点", "百分点", "个基点", "基点", "个月", "个季度", "个小时", "个工作日", "个交易日", "季度",
    "小时", "分钟", "毫秒", "微秒", "人民币", "元", "美元", "港元", "港币", "欧元", "日元", "英镑",
    "韩元", "加元", "澳元", "新台币", "卢比", "卢布", "瑞士法郎", "克", "毫克", "微克", "纳克", "公斤",
    "公吨", "吨", "斤", "升", "毫升", "微升", "米", "公里", "毫米", "厘米", "微米", "纳米", "英里",
    "海里", "英寸", "平方米", "平方公里", "平方千米", "平方厘米", "立方米", "立方厘米", "公顷", "亩",
    "瓦", "瓦时", "兆瓦", "兆瓦时", "吉瓦", "吉瓦时", "伏", "安时", "毫安时", "焦", "焦耳", "卡",
    "大卡", "赫兹", "兆赫", "吉赫", "摩尔", "毫摩尔", "微摩尔", "单位", "国际单位", "股", "例", "例次",
    "人", "人次", "名", "吨标准煤", "桶", "辆", "台", "件", "户", "家", "套", "架", "艘", "片", "支",
    "盒", "剂", "次", "倍",
)  # fmt: skip
RANGE_WORDS = frozenset({"~", "-", "至", "到", "to", "–"})
# What numbers are not claims: counting things of the report itself.
LABEL_WORDS = (
    "第", "图", "表", "页", "附录", "附件", "附图", "附表", "章", "节", "图表", "公式", "版本", "§",
    "figure", "fig", "figs", "exhibit", "chart", "table", "page", "section", "sec", "chapter", "appendix",
    "eq", "equation", "version", "part", "step",
)  # fmt: skip
REPORT_UNITS = frozenset({"页", "章", "节", "图", "表"})
REPORT_PARTS = ("部分", "方面", "章节", "小节", "角度", "维度", "层面", "步骤", "要点", "问题")

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
