"""Every failure of a study's machinery is one of these.

BnlrError
└── StudyError                  a study cannot go on; the message says what to do
    ├── FolderError             the output folder is unusable: other files, no permission, a journal
    │   └── InUseError          another process works in it; holds its pid
    ├── SettingsError           the journal belongs to other settings
    ├── JournalError            the journal is not one, or its first line was changed
    ├── WriteError              the disk is full or broken; what was written before is safe
    └── ResultError             a result that JSON cannot carry exactly
"""

import bnlr


class StudyError(bnlr.BnlrError):
    """A study cannot go on."""


class FolderError(StudyError):
    """The output folder cannot be used as asked."""


class InUseError(FolderError):
    """Another process works in the folder; ``pid`` is its number, None if it could not be read."""

    def __init__(self, message: str, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid


class SettingsError(StudyError):
    """A journal was written under other settings, which would mix two studies."""


class JournalError(StudyError):
    """A file is no journal of a study."""


class WriteError(StudyError):
    """The operating system refused a write."""


class ResultError(StudyError, ValueError):
    """A result holds something that would not read back the same from JSON."""
