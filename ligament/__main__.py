"""`python -m ligament`, the same as `ligament`."""

from ligament.cli import main

if __name__ == "__main__":
    main()
