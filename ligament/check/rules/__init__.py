"""Rules: each looks at one subject and yields what it finds; none raises, none edits."""
