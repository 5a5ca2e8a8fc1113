"""Printed statements judged by our runs."""
