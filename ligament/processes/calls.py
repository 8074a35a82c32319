"""Calls of functions in other processes, whose results are decoded by type.

Results consist of dataclasses, named tuples, structs, arrays, paths and what JSON has. Decoding
makes nothing but values of the expected type, whatever the process sends.
"""

from __future__ import annotations

import functools
import os
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, TypeVar, get_origin

import msgspec

from ligament import errors
from ligament.errors import LigamentError, StrictError
from ligament.processes.bounds import NO_BOUNDS, Bounds, Death
from ligament.processes.channel import Channel
from ligament.processes.child import Child, DiedError
from ligament.processes.inside import Work

T = TypeVar("T")


class Fault(msgspec.Struct, array_like=True):
    """The kind and parts of an error; a kind that is none of ours is a bug, with its traceback.

    Texts are bytes, since names of files may hold surrogates, which msgpack refuses.
    """

    kind: str
    message: bytes
    file: bytes | None = None
    pointer: bytes | None = None
    remedy: bytes | None = None
    losses: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, fault: Exception) -> Fault:
        """Take the parts of an error."""
        if isinstance(fault, LigamentError):
            return cls(
                type(fault).__name__,
                _bytes_of(fault.message),
                file=_optional_bytes(fault.file),
                pointer=_optional_bytes(fault.pointer),
                remedy=_optional_bytes(fault.remedy),
                losses=tuple(_bytes_of(str(loss)) for loss in getattr(fault, "losses", ())),
            )
        return cls("", _bytes_of("".join(traceback.format_exception(fault))))

    def error(self) -> Exception:
        """Return the error."""
        kind, message = getattr(errors, self.kind, None), _text_of(self.message)
        if isinstance(kind, type) and issubclass(kind, LigamentError):
            file, pointer, remedy = map(_optional_text, (self.file, self.pointer, self.remedy))
            fault = kind(message, file=file, pointer=pointer, remedy=remedy)
            if isinstance(fault, StrictError):
                fault.losses = (*map(_text_of, self.losses),)
            return fault
        return RuntimeError(f"in another process:\n{message}")


def _bytes_of(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _text_of(content: bytes) -> str:
    return content.decode(errors="surrogatepass")


def _optional_bytes(text: str | None) -> bytes | None:
    return None if text is None else _bytes_of(text)


def _optional_text(content: bytes | None) -> str | None:
    return None if content is None else _text_of(content)


def calls(function: Callable[..., object]) -> Work:
    """Return work: call a function with the arguments of each request, and answer its result."""
    return functools.partial(_serve, function)


def _serve(function: Callable[..., object], channel: Channel) -> None:
    while (request := channel.receive()) is not None:
        channel.send(answer(functools.partial(function, *pickle.loads(request))))


def answer(function: Callable[[], object]) -> bytes:
    """Encode the result of a function, or the error that it raises."""
    try:
        return b"+" + msgspec.msgpack.encode(function(), enc_hook=_plain)
    except MemoryError:
        raise  # ends the process, and is explained there
    except Exception as fault:
        return b"-" + msgspec.msgpack.encode(Fault.of(fault))


def result(content: bytes, kind: type[T]) -> T:
    """Decode a result, or raise the error in its place."""
    try:
        if content[:1] == b"+":
            return msgspec.msgpack.decode(content[1:], type=kind, dec_hook=_typed)
        fault = msgspec.msgpack.decode(content[1:], type=Fault)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as wrong:
        raise DiedError(Death("ended", f"sent an answer that is none ({wrong})")) from wrong
    raise fault.error()


def call(
    function: Callable[..., object], *arguments: object, kind: type[T], bounds: Bounds = NO_BOUNDS
) -> T:
    """Call a module-level function in a new process and return its result, of a type."""
    with Child.start(calls(function), bounds) as child:
        child.send(arguments)
        return result(child.receive(), kind)


def _plain(value: Any) -> object:
    """Encode what msgpack does not have; names of files can be any bytes."""
    if isinstance(value, PurePath):
        return os.fsencode(value)
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return value.dtype.str, value.shape, value.tobytes()
    raise TypeError(f"{type(value).__name__} cannot be sent to another process")


def _typed(kind: Any, value: Any) -> object:
    import numpy as np

    kind = get_origin(kind) or kind
    if kind is np.ndarray:
        code, shape, content = value
        return np.frombuffer(content, np.dtype(code)).reshape(shape)
    if kind is Path:
        return Path(os.fsdecode(value))
    raise TypeError(f"{kind} is not expected from another process")
