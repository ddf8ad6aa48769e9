#include "report/core/html_style.h"

#include <string>

namespace apf {

// Colours that people with any kind of colour vision can distinguish: tests/html simulates it, and holds the contrast
// of text to WCAG's AA.
namespace {

constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--card:#f6f8fa;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--grid:#e4e8ec;
--good:#00714f;--warn:#8f5300;--bad:#b42318;--on:#fff;--on-pale:#1b1f24;--lent:#57606a;--lending:#00805c;
--use:#0a62a8;--wait:#c07c00;--full:#a32a06;--over:#4a1030;--late:#9f7bdb;
--c0:#0a62a8;--c1:#9c3300;--c2:#3d97d3;--c3:#6b1650;--c4:#a88a00;--c5:#75808c}
@media (prefers-color-scheme:dark){:root{--paper:#0f1318;--card:#171c23;--ink:#e6eaef;--soft:#9aa5b1;--line:#313a45;--grid:#232b34;
--good:#3fd0a4;--warn:#f0a83c;--bad:#ff8177;--on:#0f1318;--on-pale:#0f1318;--lent:#9aa5b1;--lending:#2fc79a;
--use:#3d93dc;--wait:#f0c43c;--full:#e8623f;--over:#c4648f;--late:#d6c2fa;
--c0:#3d8fd6;--c1:#f07030;--c2:#a5dcff;--c3:#a8407f;--c4:#f5e060;--c5:#aab4bf}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:break-word}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 24px}
header{padding-top:32px}header+main>h2:first-child{border-top:none;margin-top:8px;padding-top:0}
h1{font-size:26px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:19px;margin:44px 0 4px;padding-top:16px;border-top:1px solid var(--line)}
h3{font-size:16px;margin:0;overflow-wrap:anywhere}
p{margin:4px 0 12px}
a{color:var(--use)}th a{color:inherit;text-decoration:underline dotted}svg a{text-decoration:underline dotted}
nav ul{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;margin:16px 0 0;padding:8px 0;font-size:13px;border-top:1px solid var(--line)}
nav .server{margin:0;font-weight:600}
:target{outline:2px solid var(--use);outline-offset:2px}
@media (min-width:601px){table:has(#taken) tbody th{border:solid var(--line);border-width:0 5px 2px;border-left-style:double;border-right-style:double;white-space:nowrap;min-width:0}}
#taken>*{background:var(--grid);font-weight:600}#taken>th{border-color:var(--good)}
.soft{color:var(--soft)}
.server{margin-top:56px}
.server>h1{font-size:22px}
.verdict{font-size:18px;line-height:1.35;font-weight:600;margin:16px 0 4px;overflow-wrap:anywhere}.verdict.caution{color:var(--warn)}.verdict.bad{color:var(--bad)}.verdict.good{color:var(--good)}
.verdict+ul.says{overflow-wrap:anywhere}
tbody th.bad,.level h3.bad,pre .bad{color:var(--bad)}tbody th.caution{color:var(--warn)}pre .good{color:var(--good)}
main>h3{margin-top:24px}
.level{border:1px solid var(--line);border-radius:8px;padding:14px 16px 10px;margin:16px 0;background:var(--card)}
.quiet{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 16px}.quiet .level{margin:0 0 16px}
.level .soft{font-size:14px;margin:0 0 6px}
.plots{display:grid;grid-template-columns:minmax(0,1fr);gap:4px 20px;align-items:start}
.plots:has(.small){grid-template-columns:minmax(0,2fr) minmax(0,1fr)}.plots .small{grid-column:2;grid-row:1/span 9}
figure{margin:0;min-width:0;container-type:inline-size}svg.narrow{display:none!important}
@container (max-width:619px){svg.wide{display:none!important}svg.narrow{display:block!important;max-width:460px}}
figcaption{font-size:13px;font-weight:500;margin:8px 0 2px}
svg.plot{display:block;width:100%;max-width:800px;height:auto}
.key{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:8px 0;padding:0;font-size:13px;color:var(--soft)}
.key svg{width:22px;height:10px;margin-right:6px;vertical-align:baseline}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;margin:10px 0;min-width:60%}
caption{text-align:left;color:var(--soft);font-size:13px;padding-bottom:4px}
th,td{padding:4px 9px;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
thead th{color:var(--soft);font-weight:500;border-bottom-color:var(--line);font-size:13px;vertical-align:bottom}
th[scope=row],th.t,td.t{text-align:left}
tbody th{font-weight:500;white-space:normal;overflow-wrap:break-word;min-width:130px;max-width:380px}
td.t:last-child{white-space:normal;min-width:180px}
td.zero{color:var(--soft)}td.bad,.unmet{color:var(--bad);font-weight:600}td.caution{color:var(--warn)}td.good,tbody th.good{color:var(--good);font-weight:600}.met{color:var(--good);font-weight:600}
thead .g{text-align:center;padding-bottom:0;font-weight:600}thead tr:not(:last-child)>*{border-bottom:none}
td.h0{color:var(--soft)}td.self{color:var(--soft);background:var(--grid)}
td.h1{background:#0a62a81f}td.h2{background:#0a62a842}td.h3{background:#0a62a870}td.h4{background:#0a62a8;color:#fff}
@media (prefers-color-scheme:dark){td.h1{background:#5bb3f024}td.h2{background:#5bb3f04d}td.h3{background:#5bb3f080}td.h4{background:#5bb3f0;color:#0f1318}}
details{margin:6px 0 10px;font-size:14px}summary{cursor:pointer;color:var(--soft)}
pre{font-size:13px;margin:4px 0 12px;white-space:pre-wrap;overflow-wrap:anywhere}
ul.says{padding-left:20px;margin:6px 0}
ul.says li{margin:3px 0}
code{overflow-wrap:anywhere}
footer{width:calc(100% - 48px);max-width:1072px;margin-top:48px;padding:12px 0 32px;border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@media (max-width:1120px){.plots:has(.small){grid-template-columns:minmax(0,1fr)}.plots .small{grid-column:1;grid-row:auto;max-width:460px}}
@media (max-width:600px){
table.stack,table.stack tbody,table.stack tr,table.stack td,table.stack tbody th{display:block;width:auto;max-width:none}
table.stack{width:100%}table.stack thead{display:none}
table.stack tr{border:1px solid var(--line);border-radius:8px;padding:6px 10px;margin:8px 0}
table.stack td,table.stack tbody th{border:none;padding:2px 0;white-space:normal;overflow-wrap:anywhere}
table.stack td{display:flex;justify-content:space-between;gap:12px;text-align:right}table.stack td:empty{display:none}table.stack td:not([data-l]){justify-content:flex-end}
table.stack td[data-l]::before{content:attr(data-l);flex:none;max-width:50%;color:var(--soft);text-align:left}
h1{font-size:21px}}
@media (max-width:760px){main,header{padding-left:14px;padding-right:14px}footer{width:calc(100% - 28px)}.quiet{grid-template-columns:minmax(0,1fr)}}
@media print{nav{display:none}a{color:inherit;text-decoration:none}.level,table,figure{break-inside:avoid}}
)css";

// Fills are pale by their opacity: programs that show pictures know it.
constexpr std::string_view kChartStyle = R"css(
.label,.on{fill:var(--soft);font-size:11.5px}.name{fill:var(--ink);font-size:12.5px;font-weight:600}
.grid{stroke:var(--grid);fill:none}.axis,.tick{stroke:var(--line);fill:none}.track{fill:var(--grid)}
.mark{stroke:var(--soft);stroke-dasharray:2 3;fill:none}.span{fill:var(--soft);fill-opacity:.14;pointer-events:none}.hover{fill-opacity:0}
.use{fill:var(--use);fill-opacity:.18}.use-line{stroke:var(--use);stroke-width:1.5;fill:none;stroke-linejoin:round}
.peak{stroke:var(--use);stroke-opacity:.4;stroke-width:1;fill:none}
.limit{stroke:var(--ink);stroke-width:1.5;fill:none}.nominal{stroke:var(--soft);stroke-width:1.2;stroke-dasharray:5 4;fill:none}
.borrow{fill:var(--lending);fill-opacity:.28}.lend{fill:var(--lent);fill-opacity:.11}
.waiting{fill:var(--wait);fill-opacity:.32}.waiting-line{stroke:var(--wait);stroke-width:1.5;fill:none;stroke-linejoin:round}
.full{fill:var(--full)}.over{fill:var(--over)}.late{fill:var(--late)}.served{fill:var(--use)}.after{fill:var(--wait)}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
text.on{fill:var(--on)}text.on.after,text.on.late{fill:var(--on-pale)}
)css";

}  // namespace

std::string_view chart_style() { return kChartStyle; }

std::string_view page_style() {
  static const std::string whole = std::string(kPageStyle) + std::string(kChartStyle);
  return whole;
}

}  // namespace apf
