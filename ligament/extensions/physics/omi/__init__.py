"""What the four OMI extensions of physics say, part by part, in the revisions of both eras.

2023: OMI_collider, OMI_physics_body with `type`, OMI_physics_joint with `constraints`. Later:
OMI_physics_shape, OMI_physics_body with `motion`, `collider` and `trigger`, OMI_physics_joint with
`physicsJoints`. Files mix them. `extensions.omi_physics` puts the parts together; they stand apart
from the tables of indices so that those stay cheap to import.
"""
