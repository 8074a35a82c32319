"""Drawings of documents: geometry, meshes, poses and colours, independent of the viewer."""
