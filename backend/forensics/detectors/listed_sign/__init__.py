"""What listings show where there is no capture beside them."""
