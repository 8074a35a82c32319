"""Extensions that Ligament does not interpret: index members, and motion that is not played.

Index members are name → pattern → target, and only what is known for certain stands here. An edit
of a document with any other extension that may hold an index is refused
(`references.unknown_extensions`).
"""

from __future__ import annotations

from typing import Any

from ligament.gltf import references

_MATERIAL_TEXTURES = {
    "KHR_materials_anisotropy": ("anisotropyTexture",),
    "KHR_materials_clearcoat": (
        "clearcoatTexture",
        "clearcoatRoughnessTexture",
        "clearcoatNormalTexture",
    ),
    "KHR_materials_diffuse_transmission": (
        "diffuseTransmissionTexture",
        "diffuseTransmissionColorTexture",
    ),
    "KHR_materials_iridescence": ("iridescenceTexture", "iridescenceThicknessTexture"),
    "KHR_materials_pbrSpecularGlossiness": ("diffuseTexture", "specularGlossinessTexture"),
    "KHR_materials_sheen": ("sheenColorTexture", "sheenRoughnessTexture"),
    "KHR_materials_specular": ("specularTexture", "specularColorTexture"),
    "KHR_materials_transmission": ("transmissionTexture",),
    "KHR_materials_volume": ("thicknessTexture",),
    "ADOBE_materials_clearcoat_specular": ("clearcoatSpecularTexture",),
    "ADOBE_materials_clearcoat_tint": ("clearcoatTintTexture",),
    "ADOBE_materials_thin_transparency": ("transmissionTexture",),
    "MSFT_packing_normalRoughnessMetallic": ("normalRoughnessMetallicTexture",),
    "MSFT_packing_occlusionRoughnessMetallic": (
        "occlusionRoughnessMetallicTexture",
        "roughnessMetallicOcclusionTexture",
        "normalTexture",
    ),
    "VRMC_materials_mtoon": (
        "shadeMultiplyTexture",
        "shadingShiftTexture",
        "matcapTexture",
        "rimMultiplyTexture",
        "outlineWidthMultiplyTexture",
        "uvAnimationMaskTexture",
    ),
}

_TEXTURE_SOURCES = (
    "KHR_texture_basisu",
    "EXT_texture_webp",
    "EXT_texture_avif",
    "MSFT_texture_dds",
)

_XMP_OWNERS = (
    "/asset",
    "/scenes/*",
    "/nodes/*",
    "/meshes/*",
    "/materials/*",
    "/images/*",
    "/animations/*",
)

_VARIANTS = "/extensions/KHR_materials_variants/variants"
_MAPPING = "/meshes/*/primitives/*/extensions/KHR_materials_variants+/mappings/*"
_AUDIO = "/extensions/KHR_audio_emitter"
_IES_LIGHTS = "/extensions/EXT_lights_ies/lights"
_IMAGE_LIGHTS = "/extensions/EXT_lights_image_based/lights"

MATERIALS: dict[str, dict[str, str]] = {
    **{
        name: {f"/materials/*/extensions/{name}/{t}!/index": "/textures" for t in textures}
        for name, textures in _MATERIAL_TEXTURES.items()
    },
    **{name: {f"/textures/*/extensions/{name}!/source": "/images"} for name in _TEXTURE_SOURCES},
    "KHR_materials_variants": {
        f"{_MAPPING}!/material": "/materials",
        f"{_MAPPING}+/variants/*": _VARIANTS,
    },
    "ADOBE_materials_clearcoat_ior": {},
    "KHR_materials_dispersion": {},
    "KHR_materials_emissive_strength": {},
    "KHR_materials_ior": {},
    "KHR_materials_unlit": {},
    "KHR_texture_transform": {},
    "VRMC_materials_hdr_emissiveMultiplier": {},
}

ENCODINGS: dict[str, dict[str, str]] = {
    "KHR_draco_mesh_compression": {
        "/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView": (
            "/bufferViews keep"
        )
    },
    "EXT_meshopt_compression": {
        "/bufferViews/*/extensions/EXT_meshopt_compression/buffer": "/buffers keep"
    },
    "KHR_meshopt_compression": {
        "/bufferViews/*/extensions/KHR_meshopt_compression/buffer": "/buffers keep"
    },
    "KHR_mesh_quantization": {},
}

OTHERS: dict[str, dict[str, str]] = {
    "KHR_lights_punctual": {
        "/nodes/*/extensions/KHR_lights_punctual!/light": "/extensions/KHR_lights_punctual/lights"
    },
    "EXT_lights_image_based": {
        "/scenes/*/extensions/EXT_lights_image_based!/light": _IMAGE_LIGHTS,
        f"{_IMAGE_LIGHTS}/*/specularImages/*/*": "/images keep",
    },
    "EXT_lights_ies": {
        "/nodes/*/extensions/EXT_lights_ies!/light": _IES_LIGHTS,
        f"{_IES_LIGHTS}/*/bufferView": "/bufferViews keep",
        f"{_IES_LIGHTS}/*/uri": references.FILE,
    },
    "EXT_mesh_gpu_instancing": {
        "/nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*": "/accessors keep"
    },
    "CESIUM_primitive_outline": {
        "/meshes/*/primitives/*/extensions/CESIUM_primitive_outline/indices": "/accessors keep"
    },
    "KHR_xmp_json_ld": {
        f"{owner}/extensions/KHR_xmp_json_ld!/packet": "/extensions/KHR_xmp_json_ld/packets"
        for owner in _XMP_OWNERS
    },
    "KHR_audio_emitter": {
        "/nodes/*/extensions/KHR_audio_emitter!/emitter": f"{_AUDIO}/emitters",
        "/nodes/*/extensions/KHR_audio_emitter+/emitters/*": f"{_AUDIO}/emitters",
        "/scenes/*/extensions/KHR_audio_emitter!/emitter": f"{_AUDIO}/emitters",
        "/scenes/*/extensions/KHR_audio_emitter+/emitters/*": f"{_AUDIO}/emitters",
        f"{_AUDIO}/emitters/*/sources/*": f"{_AUDIO}/sources",
        f"{_AUDIO}/emitters/*/source": f"{_AUDIO}/sources",
        f"{_AUDIO}/sources/*/audio": f"{_AUDIO}/audio",
        f"{_AUDIO}/audio/*/bufferView": "/bufferViews keep",
        f"{_AUDIO}/audio/*/uri": references.FILE,
    },
    # The coverages in `extras` stand in the order of `ids`, so that no id may fall out.
    "MSFT_lod": {
        "/nodes/*/extensions/MSFT_lod/ids/*": "/nodes keep",
        "/materials/*/extensions/MSFT_lod/ids/*": "/materials keep",
    },
    "AGI_articulations": {},
    "AGI_stk_metadata": {},
    "CESIUM_RTC": {},
    "FB_geometry_metadata": {},
    "GODOT_single_root": {},
    "KHR_node_hoverability": {},
    "KHR_node_selectability": {},
    "KHR_node_visibility": {},
    "OMI_link": {},
    "OMI_seat": {},
    "OMI_spawn_point": {},
}

CONTENT: dict[str, tuple[str, ...]] = {"KHR_materials_variants": (_VARIANTS,)}
"""Arrays whose elements count even if unreferenced."""

MOTION: dict[str, str] = {
    "KHR_interactivity": "behaviour graphs yet",
    "OMI_physics_gravity": "fields of gravity",
    "OMI_vehicle_body": "the forces of a vehicle",
    "OMI_vehicle_wheel": "the forces of a wheel",
    "OMI_vehicle_thruster": "the forces of a thruster",
    "OMI_vehicle_hover_thruster": "the forces of a thruster",
    "AGI_articulations": "articulations",
    "EXT_property_animation": "animated properties",
    "MOZ_hubs_components": "bodies and colliders of Hubs",
    "NEEDLE_components": "bodies, colliders and joints of Needle Engine",
}
"""Motion extensions that are not played, and what Ligament does not simulate of them."""

MOTION_WORDS: tuple[str, ...] = (
    *("physic", "rigid", "collider", "collision", "joint", "spring", "constraint", "ragdoll"),
    *("vehicle", "gravity", "cloth", "softbody", "soft_body"),
)
"""Parts of lower-case extension names that suggest motion."""

PLAIN_MATERIAL_OF_VRM_0: dict[str, Any] = {
    "name": "",
    "shader": "VRM_USE_GLTFSHADER",
    "renderQueue": 2000,
    "floatProperties": {},
    "vectorProperties": {},
    "textureProperties": {},
    "keywordMap": {},
    "tagMap": {},
}
"""Material properties that say that the core's material has none of its own."""
