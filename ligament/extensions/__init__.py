"""One file per extension: typed views, every dialect, and which members are indices.

Importing this package fills the table of `ligament.gltf.references`.
"""

from ligament.extensions import (
    foreign,
    khr_animation_pointer,
    khr_collision_shapes,
    khr_implicit_shapes,
    khr_physics_rigid_bodies,
    khr_rigid_bodies,
    msft_rigid_bodies,
    omi_collider,
    omi_physics_body,
    omi_physics_joint,
    omi_physics_shape,
    vrm,
    vrmc_materials_mtoon,
    vrmc_node_constraint,
    vrmc_spring_bone,
    vrmc_vrm,
    vrmc_vrm_animation,
)

__all__ = [
    "foreign",
    "khr_animation_pointer",
    "khr_collision_shapes",
    "khr_implicit_shapes",
    "khr_physics_rigid_bodies",
    "khr_rigid_bodies",
    "msft_rigid_bodies",
    "omi_collider",
    "omi_physics_body",
    "omi_physics_joint",
    "omi_physics_shape",
    "vrm",
    "vrmc_materials_mtoon",
    "vrmc_node_constraint",
    "vrmc_spring_bone",
    "vrmc_vrm",
    "vrmc_vrm_animation",
]
