#!/bin/sh
# Uploads the files of captures/, waits, and fails like `stallscope upload --wait --fail-on warning --junit`.
# Wants STALLSCOPE_URL; STALLSCOPE_TOKEN and LABEL where there are any. Exits with 0, 1 (found),
# 2 (nothing taken), 3 (server) or 4 (not finished within TIMEOUT_S seconds, one hour).
set -eu

# The token goes through standard input: on the command line every user of the machine could read it.
ask() {
    if [ -n "${STALLSCOPE_TOKEN:-}" ]; then printf 'header = "Authorization: Bearer %s"\n' "$STALLSCOPE_TOKEN"; fi |
        curl --config - --silent --show-error --fail --globoff "$@"
}

# A JSON string; control characters become blanks.
quoted() {
    printf '"%s"' "$(printf '%s' "$1" | tr '\000-\037\177' ' ' | sed 's/[\\"]/\\&/g')"
}

# One segment of an address, whatever it holds.
segment() {
    printf '%s' "$1" | od -A n -v -t x1 | tr -d ' \n' | sed 's/../%&/g'
}

# Of the first string with this name in a JSON document; empty for null.
text_of() {
    sed -n 's/^[^}]*"'"$1"'": *"\([^"]*\)".*/\1/p' | head -n 1
}

api="$STALLSCOPE_URL/api/v1/investigations"
made=$(ask --header 'Content-Type: application/json' --data "{\"label\": $(quoted "${LABEL:-captures}")}" "$api") || exit 3
id=$(printf '%s' "$made" | text_of id)
echo "$STALLSCOPE_URL/i/$id"

taken=0
for file in captures/*; do
    if ask --output /dev/null --upload-file "$file" "$api/$id/files/$(segment "${file##*/}")"; then
        taken=$((taken + 1))
    else
        echo "$file was not taken." >&2
    fi
done
if [ "$taken" -eq 0 ]; then exit 2; fi

tries=${TIMEOUT_S:-3600}
while :; do
    progress=$(ask "$api/$id/progress") || exit 3
    case $(printf '%s' "$progress" | text_of analysis) in
        finished) break ;;
        failed | cancelled) echo "The analysis did not finish." >&2; exit 4 ;;
    esac
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then echo "The analysis goes on: see the link above." >&2; exit 4; fi
    sleep 1
done

ask --output stallscope.xml "$api/$id/report?format=junit" || exit 3
# The root element counts the findings above info.
if grep '<testsuites ' stallscope.xml | grep -q ' failures="0"'; then exit 0; fi
echo "Findings of severity warning or worse: see stallscope.xml or the link above." >&2
exit 1
