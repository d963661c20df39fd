"""Measures Stallscope beside tshark on generated captures: ``python -m workers.decode.bench``."""
