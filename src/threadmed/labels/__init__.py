"""Which questions carry a misconception; the door is `identify`."""

from threadmed.labels.identify import Identifier, identification_prompt, identify

__all__ = ["Identifier", "identification_prompt", "identify"]
