"""MuJoCo: scenes as MuJoCo models, and the engine that runs them."""
