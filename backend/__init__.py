"""What Stallscope knows: packets, connections, findings, diagnoses; their storage and their service."""
