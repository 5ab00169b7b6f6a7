(() => {
  "use strict";
  const input = /*DATA*/null;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const NARROW = 560;

  const merge = (target, patch) => {
    for (const key in patch) {
      const value = patch[key];
      if (value && typeof value === "object" && !Array.isArray(value) && target[key] && typeof target[key] === "object") {
        merge(target[key], value);
      } else target[key] = value;
    }
    return target;
  };

  // Calendar boundaries in view, at most `most`, from the labels that the axis wears.
  const ticks = (alias, from, to, most) => {
    const first = alias["0"] || "", year = /^\d{4}-\d\d/.test(first), short = /^\d\d-\d\d \d\d/.test(first);
    if (!year && !short) return null;
    const levels = (year ? [4, 7, 10, 13, 16] : [5, 8, 11]).filter((end) => end <= first.length);
    let best = null;
    for (const end of levels) {
      const found = [];
      for (let i = Math.max(0, Math.ceil(from)); i <= to; i += 1) {
        // The first bar begins no month or day, but it has a label of its own.
        const here = alias[i], before = i || end === first.length ? alias[i - 1] : null;
        if (here && before && here !== " " && here.slice(0, end) !== before.slice(0, end)) found.push(i);
      }
      const stride = Math.ceil(found.length / most);
      if (found.length < 3 && end !== levels[levels.length - 1]) continue;
      if (best && stride > 1) break;
      const kept = found.filter((_, k) => k % stride === 0);
      const text = (i) => (end > 10 && year ? alias[i].slice(5, 16) : end === 8 || end === 11 ? alias[i].slice(0, 11) : alias[i].slice(0, end));
      best = { tickmode: "array", tickvals: kept, ticktext: kept.map(text) };
      if (stride > 1) break;
    }
    return best && best.tickvals.length > 1 ? best : null;
  };

  const view = (item, forced) => {
    const box = document.getElementById(item.id);
    const width = box.clientWidth || 900;
    const theme = forced || (dark.matches ? "dark" : "light");
    const figure = structuredClone(item.light);
    if (theme === "dark") merge(figure, item.dark);
    const layout = figure.layout;
    layout.width = width;
    layout.height = box.clientHeight || 420;
    layout.autosize = false;
    layout.xaxis.rangeslider = { visible: false };
    if (item.range) layout.xaxis.range = item.range.slice();
    if (item.yrange) layout.yaxis.range = item.yrange.slice();
    if (width < NARROW) {
      layout.updatemenus = [];
      layout.xaxis.nticks = 4;
      layout.margin.t = 34;
      if (layout.xaxis.tickmode === "array") layout.xaxis.tickangle = layout.xaxis.tickvals.length > 5 ? -60 : "auto";
      const ends = (layout.annotations || []).filter((note) => note.name === "end");
      if (ends.length > 1) {
        layout.annotations = layout.annotations.filter((note) => note.name !== "end");
        layout.showlegend = true;
        layout.legend = Object.assign({}, layout.legend, { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 10.5 } });
        layout.margin.r = 10;
        layout.margin.t = 30 + 18 * Math.ceil(ends.length / 2);
      }
      for (const axis of ["yaxis", "yaxis2"]) if (layout[axis]) layout[axis].nticks = axis === "yaxis" ? 6 : 3;
    }
    thin(layout, width);
    place(layout, layout.xaxis.range, width);
    hollow(figure, width);
    return { box, figure };
  };

  // Category labels need a line's height each: where they are too many, every second or third stays.
  const thin = (layout, width) => {
    const axis = layout.xaxis;
    if (axis.tickmode !== "array") return;
    const stride = Math.ceil(13 * axis.tickvals.length / (width - layout.margin.l - layout.margin.r));
    if (stride < 2) return;
    axis.tickvals = axis.tickvals.filter((_, i) => i % stride === 0);
    axis.ticktext = axis.ticktext.filter((_, i) => i % stride === 0);
  };

  const place = (layout, range, width) => {
    const axis = layout.xaxis;
    if (axis.tickmode === "array" && !axis.ck) return;
    const found = ticks(axis.labelalias || {}, range[0], range[1], Math.max(3, Math.floor(width / 110)));
    if (found) Object.assign(axis, found, { ck: true });
  };

  // Rising candles are hollow as long as their bodies are four pixels wide.
  const hollow = (figure, width) => {
    const { range } = figure.layout.xaxis, margin = figure.layout.margin;
    const body = 0.72 * (width - margin.l - margin.r) / (range[1] - range[0]);
    for (const trace of figure.data) {
      if (trace.type === "candlestick") trace.increasing.fillcolor = body >= 4 ? figure.layout.plot_bgcolor : trace.increasing.line.color;
    }
  };

  const draw = (item, forced) => {
    const { box, figure } = view(item, forced);
    return Plotly.react(box, figure.data, figure.layout, input.config);
  };

  const follow = (item) => {
    const box = document.getElementById(item.id);
    if (item.followed) return;
    item.followed = true;
    box.on("plotly_relayout", (change) => {
      if (!Object.keys(change).some((key) => /^[xy]axis/.test(key))) return;
      item.range = box._fullLayout.xaxis.range.slice();
      item.yrange = box._fullLayout.yaxis.range.slice();
      draw(item);
    });
  };

  const all = (forced) => Promise.all(input.charts.map((item) => draw(item, forced)));
  all().then(() => {
    input.charts.forEach(follow);
    document.documentElement.dataset.charts = "drawn";
    window.__painted = true;
  });
  dark.addEventListener("change", () => all());
  addEventListener("beforeprint", () => all("light"));
  addEventListener("afterprint", () => all());
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => all(), 120); });
})();
