"""The language of the packets page: the part of Wireshark's display filters that the packet table can answer."""
