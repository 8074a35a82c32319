"""KHR_physics_rigid_bodies and its predecessors: a file per object, dialects as differences."""
