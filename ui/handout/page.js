"use strict";
// The arithmetic of transformers on one stored row, and what it draws. The
// program holds it to its own engine before it writes a page.
var H = JSON.parse(document.getElementById("run").textContent);
var $ = function (id) { return document.getElementById(id); };
var at = 0, now = {}, keys = ["temperature", "top_k", "top_p", "min_p", "repetition_penalty"];
var spread = 0.25 / Math.sqrt(12); // of the logits in a bin around their mean

// law(step, s) is {tokens: [{id, raw, p, cut}], others, rest, err, why, lo, hi}.
// err is how far a probability may be off; why is set where the row of the
// step does not hold enough.
function law(step, s) {
  var n = step.v.length, whole = !step.ids, i, j;
  var ids = [], z = [], raw = [], seen = {};
  for (i = 0; i < n; i++) {
    ids.push(whole ? i : step.ids[i]);
    z.push(Math.fround(step.v[i]));
  }
  var top = -Infinity, unstored = 0;
  for (i = 0; i < n; i++) top = Math.max(top, z[i]);
  var bins = step.bins || [];
  function tail(t, m) { // the weight of the tokens without a name
    var sum = 0;
    for (var k = 0; k < bins.length; k++)
      sum += bins[k][0] * (bins[k][0] > 1 ? Math.cosh(spread / t) : 1) * Math.exp((bins[k][1] - m) / t);
    return sum;
  }
  var rest = tail(1, top), sum = rest;
  for (i = 0; i < n; i++) sum += Math.exp(z[i] - top);
  for (i = 0; i < n; i++) raw.push(Math.exp(z[i] - top) / sum);
  var before = H.prompt.concat(H.steps.slice(0, step.n).map(function (x) { return x.t; }));
  before.forEach(function (id) { seen[id] = true; });
  if (s.repetition_penalty !== 1) {
    var named = {};
    for (i = 0; i < n; i++) {
      named[ids[i]] = true;
      if (seen[ids[i]]) z[i] = z[i] < 0 ? z[i] * s.repetition_penalty : z[i] / s.repetition_penalty;
    }
    Object.keys(seen).forEach(function (id) { if (!named[id]) unstored++; });
  }
  var order = [];
  for (i = 0; i < n; i++) order.push(i);
  order.sort(function (a, b) { return z[b] - z[a] || ids[a] - ids[b]; });
  var cut = new Array(n).fill(""), p = new Array(n).fill(0), greedy = s.temperature === 0;
  var out = { rest: rest / sum, err: 0, why: "", tokens: [], others: 0, count: H.vocab - n };
  if (H.hidden && s.repetition_penalty !== 1) out.why = "the prompt, whose tokens a repetition penalty lowers too";
  if (greedy) {
    for (i = 1; i < n; i++) cut[order[i]] = "greedy";
    p[order[0]] = 1;
    if (z[order[0]] < least() && !whole) out.why = "the best token may be one that this file does not name";
  } else {
    var t = s.temperature, m = z[order[0]], w = [], left = n, more = bins.length ? tail(t, m) : 0, stop = "";
    for (i = 0; i < n; i++) w.push(Math.exp((z[i] - m) / t));
    if (s.top_k > 0 && s.top_k < left + (more ? H.vocab : 0)) {
      if (!whole && s.top_k > n) out.why = "top_k " + s.top_k + " keeps tokens that this file does not name";
      else {
        var kth = z[order[Math.min(s.top_k, n) - 1]];
        for (j = s.top_k; j < left; j++) if (z[order[j]] < kth) { mark(j, "top_k"); break; }
        more = 0;
      }
    }
    if (s.top_p < 1) {
      var all = more, run = 0;
      for (j = 0; j < left; j++) all += w[order[j]];
      for (j = 0; j < left; j++) {
        if (j > 0 && run / all >= s.top_p) break;
        run += w[order[j]];
      }
      if (j === left && more && run / all < s.top_p) out.why = "top_p " + s.top_p + " keeps tokens that this file does not name";
      else if (j < left || more) { mark(j, "top_p"); more = 0; }
    }
    if (s.min_p > 0) {
      for (j = 1; j < left; j++) if (w[order[j]] < s.min_p * w[order[0]]) break;
      if (j === left && more) out.why = out.why || "min_p " + s.min_p + " keeps tokens that this file does not name";
      else if (j < left || more) { mark(j, "min_p"); more = 0; }
    }
    var total = more;
    for (j = 0; j < left; j++) total += w[order[j]];
    for (j = 0; j < left; j++) p[order[j]] = w[order[j]] / total;
    out.others = more / total;
    out.err = out.others * 2e-3 + (more ? unstored * Math.exp((least() - m) / t) / total : 0);
  }
  function mark(from, why) {
    for (var k = from; k < left; k++) cut[order[k]] = why;
    left = from;
  }
  function least() {
    var x = Infinity;
    for (var k = 0; k < n; k++) x = Math.min(x, Math.fround(step.v[k]));
    return x;
  }
  var run2 = 0;
  for (j = 0; j < n; j++) {
    i = order[j];
    out.tokens.push({ id: ids[i], raw: raw[i], p: p[i], cut: cut[i], lo: run2, hi: run2 += p[i] });
  }
  if (!whole && bins.length) out.rawErr = out.rest * 2e-3;
  return out;
}

// percent is a probability in the form of the program's screen; about is the
// same with as many digits as err leaves sure.
function percent(p) {
  var pct = p * 100, d, r;
  if (p <= 0) return "0";
  if (p === 1) return "100%";
  if (pct < 0.01) return "<0.01%";
  for (d = 3; d >= 1; d--) {
    r = Math.round(pct * Math.pow(10, d)) / Math.pow(10, d);
    if (r < [0, 100, 10, 1][d]) return r.toFixed(d) + "%";
  }
  return ">99.9%";
}
function about(p, err) {
  if (!err || percent(p - err) === percent(p + err)) return percent(p);
  for (var d = 2; d >= 0; d--) {
    var a = ((p - err) * 100).toFixed(d), b = ((p + err) * 100).toFixed(d);
    if (a === b) return "≈" + a + "%";
  }
  return "≈" + Math.round(p * 100) + "%";
}

function points(x) { return x < 0.001 ? "less than 0.001" : "at most " + x.toFixed(3); }

function label(id) { var s = H.pieces[id]; return s === undefined ? "token " + id : s; }
function el(tag, cls, text) {
  var e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
}

function settingsOf(i) { return H.configs[H.steps[i].c]; }

// show draws step i under the settings in now.
function show() {
  var step = H.steps[at], cfg = settingsOf(at), i;
  var blocked = cfg.why || (step.v ? "" : "this file has no row of logits for this step");
  keys.forEach(function (k) {
    var e = $(k);
    e.disabled = !!blocked;
    $(k + "_now").textContent = shown(k, now[k]);
    e.value = now[k];
  });
  $("why").textContent = blocked ? "The controls are off: " + blocked + "." : "";
  document.querySelectorAll("#text button").forEach(function (b, k) {
    b.setAttribute("aria-current", k === at ? "step" : "false");
  });
  $("where").textContent = "Step " + (at + 1) + " of " + H.steps.length + ": " + label(step.t) + (step.forced ? ", chosen by hand" : "");
  var list = $("bars");
  list.textContent = "";
  $("badge").textContent = "";
  $("strip").textContent = "";
  if (blocked) { recorded(list, step); return; }
  var l = law(step, now);
  if (l.why) {
    $("badge").textContent = "Not in this file: " + l.why + ".";
    recorded(list, step);
    return;
  }
  var best = l.tokens.slice().sort(function (a, b) { return b.raw - a.raw; });
  var rows = best.slice(0, 12);
  l.tokens.slice(0, 12).forEach(function (t) { if (t.p > 0 && rows.indexOf(t) < 0) rows.push(t); });
  var mine = l.tokens.filter(function (t) { return t.id === step.t; })[0];
  if (mine && rows.indexOf(mine) < 0) rows.push(mine);
  rows.forEach(function (t) { list.appendChild(bar(t, l, step)); });
  var left = l.tokens.filter(function (t) { return t.p > 0; }).length;
  if (l.others > 0) list.appendChild(note("all others, " + l.count + " without a name: " + about(l.others, l.err)));
  $("badge").textContent = l.others > 0 || (step.bins && step.bins.length) ?
    "The tokens without a name are summed in " + step.bins.length + " bins: " + points(100 * Math.max(l.err, l.rawErr || 0)) + " points off. ≈ marks what that touches." :
    "Exact to the digits shown.";
  $("kept").textContent = l.others > 0 ? "every token can be drawn" : left + " of " + H.vocab + " tokens can be drawn";
  draw(l, step);
}

function bar(t, l, step) {
  var li = el("li", t.cut ? "cut" : "");
  if (t.id === step.t) li.classList.add("written");
  li.appendChild(el("span", "token", label(t.id)));
  li.appendChild(el("span", "raw", about(t.raw, l.rawErr || 0)));
  li.appendChild(el("span", "p", t.cut ? "cut by " + t.cut : about(t.p, l.err)));
  var g = el("span", "bar");
  g.setAttribute("aria-hidden", "true");
  var a = el("span", "was"), b = el("span", "is");
  a.style.width = 100 * t.raw + "%";
  b.style.width = 100 * t.p + "%";
  g.appendChild(a);
  g.appendChild(b);
  li.appendChild(g);
  return li;
}
function note(s) { return el("li", "note", s); }

// recorded shows what the run had.
function recorded(list, step) {
  step.top.forEach(function (t) {
    list.appendChild(bar({ id: t[0], raw: t[1], p: t[2], cut: t[3] }, { err: 0 }, step));
  });
  $("kept").textContent = "as recorded";
}

// draw says what the recorded u takes here.
function draw(l, step) {
  if (now.temperature === 0) { $("strip").textContent = "The best token is taken; nothing is drawn."; return; }
  if (step.u === null) return;
  var hit = l.tokens.filter(function (t) { return t.lo <= step.u && step.u < t.hi; })[0];
  var s = "The draw of this step was u = " + step.u.toFixed(3) + ": ";
  if (!hit) s += "a token without a name";
  else if (l.err && (step.u - hit.lo < 2 * l.err || hit.hi - step.u < 2 * l.err)) s += "too near to the border of two tokens to tell";
  else s += "it takes " + label(hit.id) + ".";
  $("strip").textContent = s;
}

function shown(k, v) {
  if (k === "top_k") return v ? String(v) : "off";
  if (k === "temperature" && !v) return "0, greedy";
  if (k === "top_p" && v >= 1 || k === "min_p" && !v || k === "repetition_penalty" && v === 1) return "off";
  return v.toFixed(2);
}

function go(i) {
  at = Math.max(0, Math.min(H.steps.length - 1, i));
  back();
}
function back() {
  keys.forEach(function (k) { now[k] = settingsOf(at)[k]; });
  show();
}

keys.forEach(function (k) {
  $(k).addEventListener("input", function () { now[k] = Number($(k).value); show(); });
});
$("back").addEventListener("click", back);
$("prev").addEventListener("click", function () { go(at - 1); });
$("next").addEventListener("click", function () { go(at + 1); });
H.steps.forEach(function (s, i) {
  var b = el("button", "", label(s.t));
  b.type = "button";
  b.title = "step " + (i + 1);
  b.addEventListener("click", function () { go(i); });
  $("text").appendChild(b);
  var tr = el("tr");
  [i + 1, label(s.t), s.top.length ? percent(s.raw) : "–", s.bits === null ? "–" : s.bits.toFixed(2), s.mark || ""].forEach(function (x) { tr.appendChild(el("td", "", String(x))); });
  $("table").appendChild(tr);
});
go(0);
