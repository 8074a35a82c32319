"""Update order: bones in levels, after ancestors and carriers of their colliders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ligament.extensions.spring_bones import Collider
from ligament.findings import Finding, finding
from ligament.gltf.tree import NodeTree, nearest
from ligament.rig.springs.chains import Bone


def order(
    bones: Sequence[Bone], colliders: Sequence[Collider], tree: NodeTree
) -> tuple[list[list[int]], list[int]]:
    """Sort bones into levels that depend only on earlier ones, and list those in cycles.

    A bone comes after its ancestors and after the bones that carry its colliders. Bones in a cycle
    are taken in file order.
    """
    at = {bone.node: index for index, bone in enumerate(bones)}
    holding = [at.get(node, -1) for node in nearest(tree, list(at)).tolist()]
    above = [holding[p] if (p := int(tree.parents[bone.node])) >= 0 else -1 for bone in bones]
    needs = [
        {holding[colliders[c].node] for c in bone.colliders}
        | ({holding[bone.center]} if bone.center >= 0 else set())
        for bone in bones
    ]
    for own, needed in enumerate(needs):
        needed -= {-1, above[own]}
    ring = _strong_components([{*needed, above[own]} - {-1} for own, needed in enumerate(needs)])
    place = _ancestors_first(above)
    circular = list[int]()
    for own, needed in enumerate(needs):
        late = {n for n in needed if ring[n] == ring[own] and place[n] >= place[own]}
        needs[own] = (needed - late) | ({above[own]} - {-1})
        circular += (
            [own] if late & {holding[colliders[c].node] for c in bones[own].colliders} else []
        )
    depth = [-1] * len(bones)
    for root in range(len(bones)):
        path = [root]
        while path:
            own = path[-1]
            left = [n for n in needs[own] if depth[n] < 0]
            if left:
                path.append(left[0])
            else:
                depth[path.pop()] = 1 + max((depth[n] for n in needs[own]), default=-1)
    levels: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for own, level in enumerate(depth):
        levels[level].append(own)
    return levels, circular


def _ancestors_first(above: Sequence[int]) -> list[int]:
    """Return the position of every bone in file order, but after its ancestors."""
    place: dict[int, int] = {}
    for tip in range(len(above)):
        path, bone = [], tip
        while bone >= 0 and bone not in place:
            path.append(bone)
            bone = above[bone]
        for own in reversed(path):
            place[own] = len(place)
    return [place[bone] for bone in range(len(above))]


def _strong_components(needs: Sequence[set[int]]) -> list[int]:
    """Number the strongly connected components of a graph (Tarjan 1972), without recursion."""
    count = len(needs)
    index, low, part = [-1] * count, [0] * count, [-1] * count
    waiting: list[int] = []
    numbers, parts = iter(range(count)), iter(range(count))
    for root in range(count):
        work = [(root, iter(needs[root]))] if index[root] < 0 else []
        for node, _ in work:
            index[node] = low[node] = next(numbers)
            waiting.append(node)
        while work:
            node, left = work[-1]
            following = next(left, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    number = next(parts)
                    while part[node] < 0:
                        part[waiting.pop()] = number
            elif index[following] < 0:
                index[following] = low[following] = next(numbers)
                waiting.append(following)
                work.append((following, iter(needs[following])))
            elif part[following] < 0:
                low[node] = min(low[node], index[following])
    return part


def cycle_findings(
    bones: Sequence[Bone], circular: Sequence[int], tree: NodeTree
) -> Iterator[Finding]:
    """Yield a finding for each bone that collides with something that it moves."""
    for index in circular:
        joint = bones[index].joint
        message = f"{tree.label(joint.node)} collides with its own chain"
        remedy = "leave that collider out of its groups; its previous position is used"
        yield finding("SPRING_BONE_CYCLE", joint.pointer, message, remedy)
