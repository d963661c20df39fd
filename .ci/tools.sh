# Sourced: an environment of its own for pip-audit and cyclonedx-py, kept in .cache/.
tools=.cache/tools/bin

install_tools() {
    if [ requirements-audit.txt -ot "$tools/installed" ]; then return; fi
    "${PYTHON:-python3}" -m venv .cache/tools
    "$tools/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-audit.txt
    touch "$tools/installed"
}
