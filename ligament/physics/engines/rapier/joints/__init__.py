"""Joints: limits, springs, rods and drives as engine joints and constraint rows."""
