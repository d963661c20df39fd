"""HTTP: the REST API, the web page, and the guard in front of both."""
