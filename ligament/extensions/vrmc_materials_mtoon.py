"""VRMC_materials_mtoon: the textures of the toon material of VRM 1.0."""

from __future__ import annotations

from ligament.gltf import references

NAME = "VRMC_materials_mtoon"
TEXTURES = (
    "shadeMultiplyTexture",
    "shadingShiftTexture",
    "matcapTexture",
    "rimMultiplyTexture",
    "outlineWidthMultiplyTexture",
    "uvAnimationMaskTexture",
)

references.register(
    NAME, {f"/materials/*/extensions/{NAME}/{name}!/index": "/textures" for name in TEXTURES}
)
references.register("VRMC_materials_hdr_emissiveMultiplier")
