"""Cases of the suite, one module for each part of a specification."""
