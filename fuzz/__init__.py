"""Fuzzing: files broken at random, which Ligament must refuse in one line or read as they are."""
