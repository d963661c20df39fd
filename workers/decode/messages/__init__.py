"""Application messages: HTTP, DNS and TLS out of the packets that the loop has noticed."""
