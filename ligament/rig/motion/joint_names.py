"""Joint names parsed into words: side, body part, finger, helper.

There is no list of products: a name is split into words (by punctuation, capitals, and else a
vocabulary), words that most joints of a file share are noise, and the rest names a body part. Words
are English, Latin (CMU's .asf), Japanese (MMD), and those of sides and main parts in some others.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

COMMON = 0.6
"""Fraction of the joints above which a shared word is noise: a prefix, or "joint"."""

_LATIN = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"})
_LATIN |= str.maketrans({"Æ": "Ae", "Œ": "Oe", "Ø": "O", "Ł": "L", "Đ": "D"})
"""Latin letters that no Unicode decomposition turns into ASCII."""

_RUNS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")

SIDE_WORDS = {
    "left": "left l lt lft links gauche izquierda izquierdo izq sinistra sinistro esquerda "
    "esquerdo sx 左 왼 왼쪽 лев левая левый слева",
    "right": "right r rt rgt rechts droite droit derecha derecho der destra destro direita direito "
    "dx 右 오른 오른쪽 прав правая правый справа",
}
_SIDES = {word: side for side, words in SIDE_WORDS.items() for word in words.split()}

_HELPER_WORDS = """
twist roll share adjust adj ik fk pole attach helper end nub tip site breast boob bust pec pectoral
hair skirt cloth weapon prop socket effector target ctrl control mch jiggle forehead volume
muscle corrective aux dummy camera null tail ear tongue teeth tooth brow lip cheek lid eyelid
eyebrow nose hat sec physics heel buttock butt carpal metacarpal metacarpals metatarsal metatarsals
inhand fingerbase handattach top front goal pivot collider
捩 補助 先 髪 胸 乳 スカート 袖 舌 歯 キャンセル 親
"""
_HELPERS = frozenset(_HELPER_WORDS.split())
"""Words of joints that are not bones, whatever else their name says."""

_FINGERS = {
    "thumb": "Thumb",
    "pollex": "Thumb",
    "daumen": "Thumb",
    "pouce": "Thumb",
    "親指": "Thumb",
    "index": "Index",
    "fore": "Index",
    "pointer": "Index",
    "人指": "Index",
    "人差指": "Index",
    "人差し指": "Index",
    "middle": "Middle",
    "mid": "Middle",
    "中指": "Middle",
    "ring": "Ring",
    "third": "Ring",
    "薬指": "Ring",
    "pinky": "Little",
    "pinkie": "Little",
    "little": "Little",
    "small": "Little",
    "小指": "Little",
    "拇指": "Thumb",
    "食指": "Index",
    "无名指": "Ring",
    "無名指": "Ring",
    "엄지": "Thumb",
    "검지": "Index",
    "중지": "Middle",
    "약지": "Ring",
    "새끼": "Little",
}
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")

_PARTS: dict[str, dict[str, float]] = {
    # Meanings of single words, with weights. Ambiguities are resolved by the position in the limb.
    "hips": {"hips": 3},
    "pelvis": {"hips": 2.5},
    "hip": {"hips": 2, "UpperLeg": 2},
    "center": {"hips": 1},
    "root": {"hips": 0.5},
    "センター": {"hips": 2},
    "腰": {"hips": 1},
    "becken": {"hips": 3},
    "spine": {"trunk": 3},
    "chest": {"trunk": 3},
    "torso": {"trunk": 2},
    "abdomen": {"trunk": 3},
    "ab": {"trunk": 2},
    "waist": {"trunk": 2},
    "thorax": {"trunk": 3},
    "back": {"trunk": 2},
    "belly": {"trunk": 2},
    "body": {"trunk": 1},
    "上半身": {"trunk": 3},
    "下半身": {"pelvis": 3},
    "neck": {"neck": 3},
    "首": {"neck": 3},
    "hals": {"neck": 3},
    "head": {"head": 3},
    "頭": {"head": 3},
    "kopf": {"head": 3},
    "jaw": {"jaw": 3},
    "eye": {"eye": 3},
    "目": {"eye": 3},
    "collar": {"Shoulder": 3},
    "collarbone": {"Shoulder": 3},
    "clavicle": {"Shoulder": 3},
    "clav": {"Shoulder": 3},
    "scapula": {"Shoulder": 2},
    "shoulder": {"Shoulder": 2.5, "UpperArm": 2},
    "肩": {"Shoulder": 3},
    "shldr": {"UpperArm": 3, "Shoulder": 1},
    "arm": {"UpperArm": 2.5},
    "腕": {"UpperArm": 3},
    "humerus": {"UpperArm": 3},
    "bicep": {"UpperArm": 2},
    "forearm": {"LowerArm": 3},
    "elbow": {"LowerArm": 3},
    "radius": {"LowerArm": 3},
    "ulna": {"LowerArm": 3},
    "ひじ": {"LowerArm": 3},
    "肘": {"LowerArm": 3},
    "hand": {"Hand": 2.5},
    "wrist": {"Hand": 3},
    "palm": {"Hand": 1.5},
    "手首": {"Hand": 3},
    "thigh": {"UpperLeg": 3},
    "femur": {"UpperLeg": 3},
    "leg": {"LowerLeg": 2, "UpperLeg": 1.8},
    "足": {"UpperLeg": 3},
    "shin": {"LowerLeg": 3},
    "calf": {"LowerLeg": 3},
    "knee": {"LowerLeg": 3},
    "tibia": {"LowerLeg": 3},
    "ひざ": {"LowerLeg": 3},
    "膝": {"LowerLeg": 3},
    "foot": {"Foot": 2.5, "Toes": 1.5},
    "ankle": {"Foot": 3},
    "足首": {"Foot": 3},
    "toe": {"Toes": 3},
    "toes": {"Toes": 3},
    "toebase": {"Toes": 3},
    "ball": {"Toes": 3},
    "つま先": {"Toes": 3},
    "足先": {"Toes": 3},
}
_UP = frozenset({"up", "upper", "u"})
_LOW = frozenset({"low", "lower", "lo"})
_FORE = frozenset({"fore", "f"})
_SEGMENTS = frozenset({"proximal", "intermediate", "medial", "distal"})

LIMB_PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand")

_VOCABULARY = frozenset(
    {*_SIDES, *_HELPERS, *_FINGERS, *_PARTS, *_UP, *_LOW, *_FORE, *_SEGMENTS}
    | {"finger", "fingers", "joint", "bone", "jnt", "base", "bend", "stretch", "in"}
)
_LETTERS = frozenset("lruf")


class JointName(NamedTuple):
    """Words in a name: side or "", body parts with weights, finger or "", whether a helper.

    `is_axis` tells whether it is one of the axes of a joint of a machine.
    """

    side: str
    parts: dict[str, float]
    finger: str
    is_helper: bool
    words: tuple[str, ...]
    is_axis: bool = False

    @property
    def main_part(self) -> str:
        """The part that it most probably means, or ""."""
        return max(self.parts, key=lambda part: self.parts[part], default="")

    @property
    def has_number(self) -> bool:
        """Whether a number or a word for a segment follows the finger."""
        starts = [i for i, word in enumerate(self.words) if word in _FINGERS or word == "finger"]
        after = self.words[starts[0] :] if starts else self.words
        segments = _SEGMENTS | ({"metacarpal"} if self.finger == "Thumb" else set())
        return any(word.isdigit() or word in segments for word in after)

    @property
    def names_finger(self) -> bool:
        """Whether a finger is named, not numbered."""
        return bool(self.finger) and any(word in _FINGERS for word in self.words)

    @property
    def names_only_the_limb(self) -> bool:
        """Whether it says "arm" or "leg" without saying which part of it."""
        return self.parts in (_PARTS["arm"], _PARTS["leg"])

    @property
    def has_no_body_part(self) -> bool:
        """Whether it mentions no body part."""
        return not self.parts and not self.finger and not self.is_helper


def read_names(names: Sequence[str]) -> list[JointName]:
    """Read the names of the joints of one file."""
    whole = [_words(name) for name in names]
    axes = _axes(whole)
    split = _without_shared_side([[w for w in words if w not in axes] for words in whole])
    noise = _noise(split)
    return [
        _meaning([word for word in words if word not in noise])._replace(
            is_axis=not axes.isdisjoint(named)
        )
        for words, named in zip(split, whole, strict=True)
    ]


def _axes(split: Sequence[list[str]]) -> frozenset[str]:
    """Return the words for axes of machines, if any: beside pitch and yaw, roll is one."""
    is_machine = any(word in ("pitch", "yaw") for words in split for word in words)
    return frozenset({"pitch", "yaw", "roll"}) if is_machine else frozenset()


def _without_shared_side(split: list[list[str]]) -> list[list[str]]:
    """Drop sides from the prefix that nearly all names share, if both sides follow it."""
    length = _shared_prefix(split)
    firsts = Counter(tuple(words[:length]) for words in split)
    prefix = firsts.most_common(1)[0][0] if firsts else ()
    if not any(word in _SIDES for word in prefix):
        return split
    kept = [word for word in prefix if word not in _SIDES]
    rest = [
        [*kept, *words[length:]] if tuple(words[:length]) == prefix else words for words in split
    ]
    sides = {_SIDES[word] for words in rest for word in words if word in _SIDES}
    return rest if len(sides) == 2 else split


def _shared_prefix(split: Sequence[list[str]]) -> int:
    """Return with how many equal words nearly all names start."""
    named = [words for words in split if words]
    for length in range(1, max(map(len, named), default=0) + 1):
        count = Counter(tuple(words[:length]) for words in named).most_common(1)[0][1]
        if count < 0.9 * len(named):
            return length - 1
    return max(map(len, named), default=0)


def _noise(split: Sequence[list[str]]) -> frozenset[str]:
    """Return the words that most names share; sides and numbers are never noise."""
    named = [set(words) for words in split if words]
    counts = Counter(word for words in named for word in words)
    if len(named) < 5:
        return frozenset()
    telling = {*_PARTS, *_FINGERS, *_HELPERS}
    least = {word: 0.9 if word in telling else COMMON for word in counts}
    least |= dict.fromkeys(("hand", "finger", "fingers"), 1.0)  # a file may contain only a hand
    return frozenset(
        word
        for word, n in counts.items()
        if n > least[word] * len(named) and word not in _SIDES and not word.isdigit()
    )


def _words(name: str) -> list[str]:
    """Split a name into lower-case words; text before a colon or a bar is a namespace."""
    text = _without_accents(unicodedata.normalize("NFKC", name))
    text = re.split(r"[:|]", text)[-1].strip() or text
    words: list[str] = []
    for run in _RUNS.findall(text):
        words += _segmented(run.lower())
    return words


def _without_accents(text: str) -> str:
    """Return a text in plain Latin letters, so that accents do not split words."""
    letters = [
        (letter, unicodedata.normalize("NFKD", letter)[0]) for letter in text.translate(_LATIN)
    ]
    return "".join(base if base.isascii() else letter for letter, base in letters)


@functools.lru_cache(maxsize=4096)
def _segmented(run: str) -> tuple[str, ...]:
    """Split a run of letters into the fewest vocabulary words, if it consists of such.

    A single letter is a side, or means "upper" or "fore" before "arm", only at the start; unknown
    text stays one word. In Japanese the known words are picked out.
    """
    if run in _VOCABULARY or run.isdigit() or len(run) > 40:
        return (run,)
    foreign = not run.isascii()
    best: list[tuple[int, int, tuple[str, ...]] | None] = [(0, 0, ())] + [None] * len(run)
    for start in range(len(run)):
        here = best[start]
        if here is None:
            continue
        for end in range(start + 1, len(run) + 1):
            word = run[start:end]
            known = word in _VOCABULARY and (
                len(word) > 1 or foreign or (word in _LETTERS and start <= 1)
            )
            if not known and not (foreign and len(word) == 1):
                continue
            cost = (here[0] + (not known), here[1] + 1, (*here[2], word))
            there = best[end]
            if there is None or cost[:2] < there[:2]:
                best[end] = cost
    found = best[-1]
    if found is None or not (foreign or max(map(len, found[2])) > 1):
        return (run,)
    return found[2]


def _meaning(words: list[str]) -> JointName:
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    rest = [word for word in words if word not in _SIDES]
    found = set(rest)
    parts = _parts(rest)
    finger = _finger(rest) if set(parts) <= {"Hand"} else ""
    parts = {} if finger else parts
    if side:  # what is on one side is no part of the trunk, whatever it is called: L_Thorax
        parts = {part: weight for part, weight in parts.items() if part != "trunk"}
    helper = bool(found & _HELPERS) or ("hip" in found and "joint" in found)
    if found & {"neck", "首"} and not found & {"end", "nub", "tip"}:
        helper = False  # Reallusion's NeckTwist01 is the neck
    if finger == "Thumb" and not found & (_HELPERS - {"metacarpal"}):
        helper = False  # the only finger whose metacarpal is a bone
    if "fingers" in found or found >= {"finger", "base"}:
        helper, finger, parts = True, "", {}
    if "hand" in found and found & {"in", "attach"}:
        helper, parts = True, {}
    return JointName(side, {} if helper else parts, finger, helper, tuple(words))


def _finger(words: Sequence[str]) -> str:
    """Return the finger that words mention: by name, or by a number after "finger"."""
    found = set(words)
    if found & {"toe", "toes", "arm", "leg", "ik"}:
        return ""
    for word in words:
        if word in _FINGERS:
            return _FINGERS[word]
    if "finger" not in found:
        return ""
    after = words[words.index("finger") + 1 :]
    number = next((word for word in after if word.isdigit()), None)
    if number is None:
        return ""
    if found & (_SEGMENTS | {"metacarpal", "tip"}):  # counted from 1, the segments have words
        return FINGERS[min(max(int(number) - 1, 0), 4)]
    return FINGERS[min(int(number[0]), 4)]  # counted from 0, further digits are the segments


def _parts(words: Sequence[str]) -> dict[str, float]:
    found = set(words)
    if "arm" in found and found & (_UP | _LOW | _FORE):
        return {"LowerArm": 3.0} if found & (_LOW | _FORE) else {"UpperArm": 3.0}
    if "leg" in found and found & (_UP | _LOW):
        return {"LowerLeg": 3.0} if found & _LOW else {"UpperLeg": 3.0}
    if "body" in found and found & (_UP | _LOW):
        return {"pelvis": 3.0} if found & _LOW else {"trunk": 3.0}
    parts: dict[str, float] = {}
    for word in words:
        for part, weight in _PARTS.get(word, {}).items():
            parts[part] = max(parts.get(part, 0.0), weight)
    return parts
