"""KHR_animation_pointer: a channel that animates any member, named by a JSON pointer.

The indices inside the pointer are references like any other; the channel goes away with what it
animates.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "KHR_animation_pointer"

references.register(
    NAME,
    {f"/animations/*+/channels/*!/target/extensions/{NAME}/pointer": references.POINTER},
)
