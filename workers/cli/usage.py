"""What every command says of arguments that make no sense."""


class WrongUsage(ValueError):  # noqa: N818 - it says what happened
    """An argument that makes no sense; the sentence is for the user."""
