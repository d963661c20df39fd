#!/bin/sh
# One more worker on the same database and the same folder. Runs in the image and, the same, without one.
set -eu
: "${STALLSCOPE_DATA:?set it to the folder that holds uploads and packet tables}"
: "${STALLSCOPE_DATABASE_URL:?set it to the database that the api uses}"
mkdir -p "$STALLSCOPE_DATA"
exec stallscope worker
