"""Seeing a document move: a live page in the browser, or one file that plays by itself."""
