"""Solver effort: substeps, iterations and contact stiffness that a scene needs."""
