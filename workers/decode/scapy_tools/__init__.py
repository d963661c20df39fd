"""Programs of their own, started as children and spoken to through JSON: scapy's licence keeps them apart."""
