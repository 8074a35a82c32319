"""The parts of the editor: one workspace, and one object for each kind of edit."""
