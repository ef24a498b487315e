// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "pages.hpp"

namespace page {

namespace {

// Text has a contrast of 4.5 or more with what is behind it, signs and borders of 3, in both
// schemes.
constexpr const char* kColours = R"(:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #fff; --text: #1a2029; --quiet: #566170; --line: #d5dae1;
  --control: #7b8694; --link: #0b57b7; --mark: #e6effb; --bar: #4f7fb8; --bar-more: #b4cae6;
  --good: #17693c; --good-ground: #e2f3e8; --bad: #a8201a; --bad-ground: #fce8e6;
  --warn: #7a4b00; --warn-ground: #fdf0d5; --run: #0b57b7; --run-ground: #e3eefb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --card: #1b2129; --text: #e6eaf0; --quiet: #a3aebb; --line: #343d49;
    --control: #7f8b99; --link: #8cbcff; --mark: #24344a; --bar: #6c9fdc; --bar-more: #34506f;
    --good: #7fd6a0; --good-ground: #17332a; --bad: #ff9d94; --bad-ground: #46211f;
    --warn: #f2c166; --warn-ground: #3d3118; --run: #8cbcff; --run-ground: #1e3350;
  }
}
)";

constexpr const char* kFrame = R"(* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
body { margin: 0; background: var(--ground); color: var(--text); }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999em; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--card); z-index: 1; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
header { background: var(--card); border-bottom: 1px solid var(--line); padding: .25rem 1rem 0;
  display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: end; }
.brand { margin: .5rem 0; overflow-wrap: anywhere; color: var(--quiet); }
.brand strong { color: var(--text); margin-right: .5rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; margin: 0; padding: 0; }
nav a { display: block; padding: .5rem .75rem; text-decoration: none; border-bottom: 3px solid transparent; }
nav a:hover { text-decoration: underline; }
nav [aria-current] { border-bottom-color: currentColor; font-weight: 600; color: var(--text); }
main, footer { max-width: 84rem; margin: 0 auto; padding: 0 1rem; }
footer { color: var(--quiet); margin-top: 3rem; border-top: 1px solid var(--line); }
.top { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 2rem; }
.refresh { margin: .5rem 0; color: var(--quiet); font-size: .875rem; }
.refresh a { display: inline-block; padding: .25rem .4rem; }
.refresh [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 1rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; line-height: 1.3; margin: 2rem 0 .5rem; }
p { max-width: 60rem; overflow-wrap: anywhere; }
section > p, .next { margin: .5rem 0; }
.notice { padding: .75rem 1rem; border-left: .3rem solid; border-radius: .25rem; }
.done { background: var(--good-ground); border-color: var(--good); }
.undone { background: var(--warn-ground); border-color: var(--warn); }
.away { background: var(--bad-ground); border-color: var(--bad); }
.missing { border: 1px dashed var(--control); border-radius: .25rem; padding: .5rem 1rem; }
.empty, .none { color: var(--quiet); }
)";

constexpr const char* kContent =
    R"(.figures { list-style: none; margin: 0; padding: 0; display: grid;
  grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; }
.figures li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.figures a { display: block; padding: .75rem 1rem .5rem; text-decoration: none; }
.figures a:hover span { text-decoration: underline; }
.figures strong { display: block; font-size: 1.75rem; line-height: 1.2; color: var(--text);
  font-variant-numeric: tabular-nums; }
.figures small { display: block; padding: 0 1rem .75rem; color: var(--quiet); }
.attention, .calm { margin: 1rem 0; }
.attention { list-style: none; padding: .5rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--warn); border-radius: .25rem; }
.attention li { padding: .2rem 0; overflow-wrap: anywhere; }
.calm { padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--good); border-radius: .25rem; }
.scroll { position: relative; overflow: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem; border-top: 1px solid var(--line);
  font-weight: 400; max-width: 26rem; min-width: min-content; overflow-wrap: anywhere; }
tbody th, td:has(> .b), td:has(bdi:not(:empty)) { min-width: 8rem; }
td:last-child:has(> bdi:not(:empty)) { min-width: 16rem; }
thead th { border-top: 0; color: var(--quiet); font-size: .875rem; white-space: nowrap; }
tbody tr:hover { background: var(--mark); }
.n2 tr > :nth-child(2), .n3 tr > :nth-child(3), .n4 tr > :nth-child(4), .n5 tr > :nth-child(5), .n6 tr > :nth-child(6),
.n7 tr > :nth-child(7), .n8 tr > :nth-child(8), .n9 tr > :nth-child(9), .n10 tr > :nth-child(10), .n11 tr > :nth-child(11) {
  text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td time { white-space: nowrap; }
#names + .scroll { max-height: 34rem; }
#names + .scroll thead th { position: sticky; top: 0; background: var(--card); }
td .b { margin-right: .25rem; }
.b { display: inline-block; padding: 0 .5em; border-radius: .8em; background: var(--run-ground); color: var(--run);
  font-size: .875em; }
.b::before { content: "\25f7\a0" / ""; }
.b.running::before { content: "\25b6\a0" / ""; }
.b.retrying, .b.full, .b.lost, .b.abandoned { background: var(--warn-ground); color: var(--warn); }
.b.retrying::before { content: "\21bb\a0" / ""; }
.b.full::before { content: "\25a0\a0" / ""; }
.b.lost::before, .b.abandoned::before { content: "?\a0" / ""; }
.b.paused { background: var(--warn-ground); color: var(--warn); }
.b.paused::before { content: "\2016\a0" / ""; }
.b.dead, .b.nobody { background: var(--bad-ground); color: var(--bad); }
.b.dead::before { content: "\2715\a0" / ""; }
.b.nobody::before { content: "\2205\a0" / ""; }
.b.good { background: var(--good-ground); color: var(--good); }
.b.good::before { content: "\2713\a0" / ""; }
meter { width: 4rem; vertical-align: middle; }
dl { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .375rem .75rem; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; }
dt { width: 11rem; color: var(--quiet); }
dd { margin: 0; flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
dd time { white-space: normal; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; margin: 0;
  overflow: auto; max-height: 30rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: .75rem; }
figure { margin: 0; padding: .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
figcaption { font-size: .875rem; color: var(--quiet); }
figcaption strong { color: var(--text); }
svg { display: block; height: 5rem; margin-top: .5rem; border-bottom: 1px solid var(--control); }
svg path { stroke: var(--bar); stroke-width: 8; }
svg .longest { stroke: var(--bar-more); }
summary { cursor: pointer; padding: .5rem 0; }
)";

constexpr const char* kForms = R"(.choices { margin: .5rem 0; }
.forms { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: .75rem; }
form { padding: .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
label { display: block; color: var(--quiet); font-size: .875rem; }
input, select, button, .button { font: inherit; color: inherit; min-height: 2.25rem; padding: .25rem .75rem;
  border: 1px solid var(--control); border-radius: .375rem; background: var(--card); }
input, select { width: 100%; max-width: 30rem; background: var(--ground); }
form small { display: block; color: var(--quiet); }
form button { margin-top: .5rem; max-width: 100%; overflow-wrap: anywhere; }
.search form p { margin: .25rem 0; }
button, .button { cursor: pointer; font-weight: 600; }
.button { display: inline-block; text-decoration: none; margin: .25rem .5rem .25rem 0; }
button:hover, .button:hover { background: var(--mark); }
td .button { min-height: 0; padding: 0 .5rem; margin: 0; font-size: .875rem; white-space: nowrap; }
.cancel { color: var(--bad); border-color: var(--bad); }
@media (max-width: 40rem) {
  header, main, footer { padding-left: .75rem; padding-right: .75rem; }
  nav a { padding: .5rem .5rem; }
  dl div { display: block; }
  dt { width: auto; font-size: .875rem; }
}
@media (forced-colors: active) { svg path { stroke: CanvasText; } svg .longest { stroke: GrayText; } .b { border: 1px solid; } }
@media print { header, .refresh, .skip, form, .button { display: none; } }
)";

}  // namespace

std::string styleSheet() { return std::string(kColours) + kFrame + kContent + kForms; }

std::string icon() {
    return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">)"
           R"(<circle cx="16" cy="16" r="14" fill="#0b57b7"/>)"
           R"(<path d="M16 7v9l6 4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>)"
           "</svg>\n";
}

}  // namespace page
