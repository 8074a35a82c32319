"""What was seen while a document was played, and the files that hold it."""

from ligament.recording.files import check_suffix, save_events, save_recording
from ligament.recording.recording import Energies, LimitTrack, LocalTracks, Recording

__all__ = [
    "Energies",
    "LimitTrack",
    "LocalTracks",
    "Recording",
    "check_suffix",
    "save_events",
    "save_recording",
]
