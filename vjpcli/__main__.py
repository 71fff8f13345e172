"""`python -m vjpcli` does what `vjp` does."""

from vjpcli.cli import main

if __name__ == "__main__":
    main()
