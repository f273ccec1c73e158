"""What can go wrong. No message carries a cell's value."""


class MuslinError(Exception):
    """Why a call has no answer."""


class UsageError(MuslinError, ValueError):
    """The question is wrong: a setting, a policy, a column's name."""


class InputError(MuslinError, ValueError):
    """The input cannot be read as a table."""


class InfeasibleError(MuslinError):
    """The target cannot be reached."""


class OutputError(MuslinError, OSError):
    """The output could not be written; nothing is left half-written."""


class LimitError(MuslinError):
    """A limit of time, memory or results ended the work."""


class NotMetError(MuslinError):
    """A requirement is not met; `result` says by what."""

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class InternalError(MuslinError, RuntimeError):
    """A mistake of muslin's own."""


class ReleaseWarning(UserWarning):
    """Something to look at before a release is handed on."""


class LimitWarning(UserWarning):
    """A limit ended the work: what came out holds, and is not all."""
