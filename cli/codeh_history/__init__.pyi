from .base.errors import BadData as BadData
from .base.errors import BudgetUnreachable as BudgetUnreachable
from .base.errors import HistoryError as HistoryError
from .base.errors import InputOutput as InputOutput
from .base.errors import NegativeAnswer as NegativeAnswer
from .base.errors import NotFound as NotFound
from .base.errors import ProviderRefused as ProviderRefused
from .base.errors import SummarizerFailed as SummarizerFailed
from .base.errors import TryAgain as TryAgain
from .base.errors import Usage as Usage
from .library.session import Session as Session
from .library.stream import Answer as Answer
from .library.stream import Filtered as Filtered
from .library.stream import Stream as Stream

__version__: str
__all__ = [
    "Answer",
    "BadData",
    "BudgetUnreachable",
    "Filtered",
    "HistoryError",
    "InputOutput",
    "NegativeAnswer",
    "NotFound",
    "ProviderRefused",
    "Session",
    "Stream",
    "SummarizerFailed",
    "TryAgain",
    "Usage",
    "__version__",
]
