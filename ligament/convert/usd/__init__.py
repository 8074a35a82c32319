"""OpenUSD: scenes with UsdPhysics; see docs/usd.md."""
