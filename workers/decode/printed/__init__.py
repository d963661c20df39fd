"""What tcpdump and tshark print, read as captures: packets rebuilt from the fields that a text shows."""
