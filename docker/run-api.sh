#!/bin/sh
# Web page and API on loopback. Runs in the image and, the same, without one.
set -eu
: "${STALLSCOPE_DATA:?set it to the folder that holds uploads and packet tables}"
mkdir -p "$STALLSCOPE_DATA"
exec stallscope serve --host "${STALLSCOPE_HOST:-127.0.0.1}" --port "${STALLSCOPE_PORT:-8000}" --data "$STALLSCOPE_DATA"
