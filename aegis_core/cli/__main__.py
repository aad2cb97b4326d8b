"""`python -m aegis_core.cli`, the same as `aegis`."""

from aegis_core.cli import main

if __name__ == "__main__":
    main()
