"""Closed forms of a mass on a spring and damper."""

from __future__ import annotations

import math

import numpy as np


def damped(time, start, target, *, stiffness, damping, mass, speed=0.0):
    """Position after `time` of a mass let go at `start`, pulled to `target`."""
    natural = math.sqrt(stiffness / mass)
    ratio = damping / (2 * math.sqrt(stiffness * mass))
    # At critical damping both roots are one, and the formula is its limit.
    root = np.sqrt(complex(ratio * ratio - 1)) or 1e-6
    fast, slow = -natural * (ratio + root), -natural * (ratio - root)
    away = start - target
    first = (speed - fast * away) / (slow - fast)
    parts = first * np.exp(slow * time) + (away - first) * np.exp(fast * time)
    return target + np.real(parts)


def frequency_and_damping(values, rest, step):
    """Frequency [Hz] and damping ratio that best continue y[n+1] = a·y[n] − b·y[n−1]."""
    y = np.asarray(values) - rest
    (a, b), *_ = np.linalg.lstsq(np.stack([y[1:-1], -y[:-2]], axis=1), y[2:], rcond=None)
    shrink = math.sqrt(b)
    turning = math.acos(a / (2 * shrink)) / step
    fading = -math.log(shrink) / step
    natural = math.hypot(turning, fading)
    return natural / (2 * math.pi), fading / natural
