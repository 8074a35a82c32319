"""Shapes of KHR and MSFT, in every extension that has them."""
