"""Recordings of simulations, and their files."""

from ligament.recording.files import (
    CSV_COLUMNS,
    check_suffix,
    load_events,
    load_recording,
    save_events,
    save_recording,
)
from ligament.recording.recording import (
    Energies,
    LimitTrack,
    LocalTracks,
    Recording,
    frame_times,
)

__all__ = [
    "CSV_COLUMNS",
    "Energies",
    "LimitTrack",
    "LocalTracks",
    "Recording",
    "check_suffix",
    "frame_times",
    "load_events",
    "load_recording",
    "save_events",
    "save_recording",
]
