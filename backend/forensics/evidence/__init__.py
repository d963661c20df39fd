"""Facts without opinion: what was seen where, when, and which packets are the same packet."""
