"""Cases of the suite, a module for each part of a specification."""
