"""Extensions: the registry, and one folder or module of tables and views per family. No behaviour.

Importing this package registers the index members of extensions with `ligament.gltf.references`.
"""

from ligament.extensions import members, registry

__all__ = ["members", "registry"]

members.register()
