"""Stored bytes: container, files and data URIs, buffers, compressed data."""
