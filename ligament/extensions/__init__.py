"""Extensions: the registry, and one folder or module of typed views per family. No behaviour.

Importing this package tells `ligament.gltf.references` which members of extensions are indices.
"""

from ligament.extensions import registry

__all__ = ["registry"]

registry.register()
