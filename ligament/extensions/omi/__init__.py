"""The four OMI extensions of physics, in the revisions of both eras, which files mix.

2023: OMI_collider, OMI_physics_body with `type`, OMI_physics_joint with `constraints`. Later:
OMI_physics_shape, OMI_physics_body with `motion`, `collider` and `trigger`, OMI_physics_joint with
`physicsJoints`.
"""
