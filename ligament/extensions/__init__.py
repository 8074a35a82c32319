"""One file per extension: typed views, every dialect, and which members are indices."""
