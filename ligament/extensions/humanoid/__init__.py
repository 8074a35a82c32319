"""Humanoids: VRM 0.x, VRMC_vrm 1.0 and VRMC_vrm_animation."""
