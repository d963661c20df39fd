#!/usr/bin/env bash
# Known vulnerabilities of the pinned packages. Exits with 1 when there is one, and says so when nobody answered:
# what could not be asked for is not clean.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/tools.sh
install_tools
found=0

for pins in requirements.txt requirements-build.txt; do
    answer=$("$tools/pip-audit" --requirement "$pins" --disable-pip --require-hashes --format json 2>/dev/null)
    "$tools/python" - "$pins" "$answer" <<'PYTHON' || found=1
import json, sys

pins, answer = sys.argv[1:]
packages = json.loads(answer)["dependencies"] if answer.strip() else []
asked = [package for package in packages if "skip_reason" not in package]
hit = [package for package in asked if package["vulns"]]
for package in hit:
    print(f"{pins}: {package['name']} {package['version']}: {', '.join(v['id'] for v in package['vulns'])}")
if not packages:
    print(f"{pins}: not checked: no advisory service answered.")
else:
    print(f"{pins}: {len(hit)} of {len(asked)} packages vulnerable; {len(packages) - len(asked)} not checked.")
sys.exit(bool(hit))
PYTHON
done

answer=$(npm audit --json 2>/dev/null)
node -e '
let answer = {};
try { answer = JSON.parse(process.argv[1]); } catch { /* no answer at all */ }
const counts = answer.metadata?.vulnerabilities;
if (!counts) { console.log("package-lock.json: not checked: the registry answers no audit."); process.exit(0); }
console.log(`package-lock.json: ${counts.total} vulnerabilities (${counts.high} high, ${counts.critical} critical).`);
process.exit(counts.total ? 1 : 0);' "$answer" || found=1
exit $found
