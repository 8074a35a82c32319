"""JSON text is read strictly and written back without loss."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from ligament.errors import ContentError, FormatError
from ligament.gltf import jsontext
from ligament.limits import Limits
from tests.gltf.json_values import OBJECTS, same

ANY_DEPTH = Limits(nesting=10**9)


def test_same_distinguishes_types_order_and_signs() -> None:
    assert same({"a": [1, 1.0, True, None]}, {"a": [1, 1.0, True, None]})
    for a, b in [(1, 1.0), (1, True), (0.0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1})]:
        assert a == b
        assert not same(a, b)


@given(OBJECTS)
def test_values_survive_encoding(value: dict[str, Any]) -> None:
    text = jsontext.encode(value)
    assert same(jsontext.decode(text).root, value)
    assert jsontext.encode(jsontext.decode(text).root) == text


@given(OBJECTS)
def test_a_clone_is_equal_and_apart(value: dict[str, Any]) -> None:
    twin = jsontext.clone(value)
    assert same(twin, value)
    for (_, a), (_, b) in zip(jsontext.walk(value), jsontext.walk(twin), strict=True):
        assert a is not b or not isinstance(a, (dict, list))


def test_a_byte_order_mark_is_accepted() -> None:
    assert jsontext.decode(b'\xef\xbb\xbf{"a":1}').root == {"a": 1}


def test_the_digest_sees_values_not_spelling() -> None:
    plain = jsontext.decode(b'{"a":[1.5,100000.0]}').digest
    assert jsontext.decode(b' { "\\u0061" : [1.50, 1E5] }').digest == plain
    for other in (b'{"a":[1.5,100000]}', b'{"a":[1.5,100001.0]}', b'{"b":[1.5,100000.0]}'):
        assert jsontext.decode(other).digest != plain


def test_reformatting_keeps_every_token() -> None:
    tokens = ["1.50", "1E5", "-0", "1e-400", "0.1000000000000000055", "1" + "0" * 30]
    text = '{"a": [' + ", ".join([*tokens, '"\\u003a\\/é"']) + '], "b" :{}}'
    for indent in (None, 2):
        again = jsontext.reformat(text.encode(), indent=indent)
        assert again.replace(b" ", b"").replace(b"\n", b"") == text.replace(" ", "").encode()


def test_integers_beyond_64_bits_are_kept() -> None:
    number = 123456789012345678901234567890
    decoded = jsontext.decode(f'{{"a":{number}}}'.encode())
    assert decoded.root == {"a": number}
    assert jsontext.encode(decoded.root) == f'{{"a":{number}}}'.encode()


@pytest.mark.parametrize("spelling", ["1e99999", "-1e99999", "1.50E+0400", "9" * 5000])
def test_numbers_beyond_all_doubles_are_infinite_and_stay_as_they_are_spelled(
    spelling: str,
) -> None:
    text = f'{{"a":[{spelling},1.50,{10**400}],"b":"1e99999"}}'.encode()
    decoded = jsontext.decode(text)
    sign = -1 if spelling.startswith("-") else 1
    assert decoded.overflows
    assert decoded.root["a"][0] == sign * math.inf
    assert same(decoded.root["a"][1:], [1.5, 10**400])
    written = jsontext.encode(decoded.root)
    assert written == text.replace(b"1.50,", b"1.5,")
    for twin in (jsontext.clone(decoded.root), copy.deepcopy(decoded.root)):
        assert jsontext.encode(twin) == written
    assert pickle.loads(pickle.dumps(decoded.root["a"][0])).spelling == spelling
    assert jsontext.decode(written).digest == decoded.digest


def test_files_without_such_numbers_have_none() -> None:
    assert not jsontext.decode(b'{"a":1e308,"b":1e-99999}').overflows


def test_an_infinity_of_python_is_still_refused() -> None:
    """Nobody knows how it should be spelled."""
    root = jsontext.decode(b'{"a":1e99999}').root
    with pytest.raises(ContentError, match="found inf"):
        jsontext.encode({**root, "b": math.inf})


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        (b'{"a":1,"b":{"x":1,"c":2,"c":3}}', "/b/c", "twice"),
        (b'{"a":1,"b":{"c":"\\u003a","c":":"}}', "/b/c", "twice"),
        (b'{"a:":1,"\\u0061\\u003a":2}', "/a:", "twice"),
        (b'{"list":[{},{"a/b":1,"a/b":1}]}', "/list/1/a~1b", "twice"),
        (b'{"a":{"c":1e999,"c":2}}', "/a/c", "twice"),
        (b'{"a":1e999,"b":{"c":1,"c":2}}', "/b/c", "twice"),
        (b'{"a":1e999,"b":"\\ud800"}', "/b", "surrogate"),
        (b'{"a":1e999,"b":NaN}', None, "NaN is not"),
        (b'{"a":1e999,}', None, "line 1, column 1[12]"),  # Python 3.13 names the comma
        (b'{"a":["\\ud800"]}', "/a/0", "surrogate"),
        (b'{"a":{"\\udc00x":1}}', "/a", "surrogate"),
        (b'{"a":NaN}', None, "NaN is not"),
        (b'{"a":Infinity}', None, "Infinity is not"),
        (b'{"a":01}', None, "line 1, column 7"),
        (b'{"a":1}x', None, "line 1, column 8"),
        (b'{"a":1}\0', None, "line 1, column 8"),
        (b'{"a":\n\n}', None, "line 3, column 1"),
        (b'{"a":"\xff"}', None, "not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', None, "not UTF-8"),
        ('{"a":1}'.encode("utf-16"), None, "not UTF-8"),
        (b"", None, "line 1, column 1"),
        (b"[1]", "", "an array"),
        (b'"text"', "", "a string"),
        (b"null", "", "null"),
        (b'{"a":' * 1_000_000, None, "nested too deeply"),
        (b'{"a":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", None, "nested too deeply"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_json_that_cannot_be_preserved_is_refused(
    text: bytes, pointer: str | None, message: str
) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        jsontext.decode(text, limits=ANY_DEPTH)
    assert caught.value.pointer == pointer
    assert caught.value.remedy


def test_every_depth_is_read_or_refused() -> None:
    """The parser that finds duplicates gives up a little earlier than the one that reads."""
    refused = set()
    for depth in (*range(700, 1100), 1_000_000):  # the limit depends on the version of Python
        text = b'{"b":1,"b":1,"a":' + b"[" * depth + b"]" * depth + b"}"
        with pytest.raises(FormatError, match=r"twice|nested too deeply") as caught:
            jsontext.decode(text, limits=ANY_DEPTH)
        refused.add(caught.value.message)
    assert len(refused) == 2


def test_honest_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: bytes) -> None:
        raise AssertionError("the slow parser is for doubtful text only")

    monkeypatch.setattr(jsontext, "_parse_slowly", fail)
    jsontext.decode(b'{"a:b": "c: d", "e": {":": ":"}}')


def test_deep_nesting_within_the_limit_is_read() -> None:
    for inner in (b"1", b'"\\u003a"'):
        jsontext.decode(b'{"a":' * 600 + inner + b"}" * 600, limits=ANY_DEPTH)


@pytest.mark.parametrize(
    "number",
    [math.nan, math.inf, -math.inf, np.float32("nan"), np.array([1.0, np.inf])],
    ids=str,
)
def test_numbers_that_json_cannot_say_are_refused_with_their_place(number: Any) -> None:
    with pytest.raises(ContentError, match="which JSON cannot represent") as caught:
        jsontext.encode({"nodes": [{"x": None}, {"x/y": [0.0, number]}]})
    assert caught.value.pointer == "/nodes/1/x~1y/1"


def test_null_and_its_name_do_not_look_like_nan() -> None:
    assert jsontext.encode({"null": [None, "null", 1.5]}) == b'{"null":[null,"null",1.5]}'


def test_numpy_numbers_and_arrays_are_written_as_json() -> None:
    value = {"a": np.float64(1.5), "b": np.int32(2), "c": np.arange(3), "d": (1, 2)}
    assert jsontext.encode(value) == b'{"a":1.5,"b":2,"c":[0,1,2],"d":[1,2]}'


def test_values_that_are_not_json_are_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    for value in ({"a": object()}, {"a": ring}, {"a": "\ud800"}):
        with pytest.raises(ContentError, match="cannot be written as JSON"):
            jsontext.encode(value)


def test_walk_visits_everything_in_text_order() -> None:
    value = {"a": [1, {"b~/": None}], "c": {}}
    found = [pointer for pointer, _ in jsontext.walk(value)]
    assert found == ["", "/a", "/a/0", "/a/1", "/a/1/b~0~1", "/c"]
