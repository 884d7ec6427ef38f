"""What target models say to patients' questions; the door is `play`."""

from threadmed.conversations.intervene import Intervened
from threadmed.conversations.play import Target, play
from threadmed.conversations.settings import turns

__all__ = ["Intervened", "Target", "play", "turns"]
