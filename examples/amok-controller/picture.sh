#!/bin/sh
# Takes picture.png, which the README shows: of the page that `apfctl replay -o html` writes of this example, what it
# shows of workload-low over time. Needs `make examples` and chromium.
set -eu
cd "$(dirname "$0")"
bin=$PWD/../../build/release/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/generate-amok-controller" -o "$work/audit.log"
"$bin/apfctl" replay "$work/audit.log" -q -f before.yaml --objects objects.txt --server-concurrency 150 -o "html=$work/page.html"
cat >"$work/frame.html" <<'END'
<body style="margin: 0"><iframe src="page.html" style="border: 0; width: 1000px; height: 3000px"></iframe>
<script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const head = [...frame.contentDocument.querySelectorAll("h3")].find(h => h.textContent.trim() === "workload-low");
  frame.style.marginTop = `${-head.parentElement.getBoundingClientRect().top + 8}px`;
};
</script>
END
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run \
  --disable-background-networking --allow-file-access-from-files --blink-settings=preferredColorScheme=1 \
  "--user-data-dir=$work/profile" --window-size=1000,770 "--screenshot=$work/picture.png" "file://$work/frame.html" 2>/dev/null
cp "$work/picture.png" picture.png
