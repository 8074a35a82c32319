"""Extensions: the registry, and one folder or module of typed views per family. No behaviour.

Importing this package registers the index members of extensions with `ligament.gltf.references`.
"""

from ligament.extensions import registry

__all__ = ["registry"]

registry.register()
