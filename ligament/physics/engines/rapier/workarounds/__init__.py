"""Corrections for behaviour of the engine that is wrong or unwanted."""
