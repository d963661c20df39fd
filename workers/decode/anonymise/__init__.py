"""Captures and listings that can be given away: other addresses, other names, no payload, the same incident."""
