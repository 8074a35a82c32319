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
    """The kind and parts of an error; a kind that is none of ours is a bug, with its traceback."""

    kind: str
    message: str
    file: str | None = None
    pointer: str | None = None
    remedy: str | None = None
    losses: tuple[str, ...] = ()

    @classmethod
    def of(cls, fault: Exception) -> Fault:
        """Take the parts of an error."""
        if isinstance(fault, LigamentError):
            parts = fault.message, fault.file, fault.pointer, fault.remedy
            return cls(type(fault).__name__, *parts, (*map(str, getattr(fault, "losses", ())),))
        return cls("", "".join(traceback.format_exception(fault)))

    def error(self) -> Exception:
        """Return the error."""
        kind = getattr(errors, self.kind, None)
        if isinstance(kind, type) and issubclass(kind, LigamentError):
            fault = kind(self.message, file=self.file, pointer=self.pointer, remedy=self.remedy)
            if isinstance(fault, StrictError):
                fault.losses = self.losses
            return fault
        return RuntimeError(f"in another process:\n{self.message}")


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
