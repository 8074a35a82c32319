"""Rules: each examines one subject and yields findings; none raises, none edits."""
