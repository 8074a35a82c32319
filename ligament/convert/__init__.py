"""Conversions of whole documents: one module for each, named after what comes out."""
