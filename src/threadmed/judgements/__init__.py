"""What judges make of an answer; the door is `judge`."""

from threadmed.judgements.judge import Judge, control_prompt, judge, scoring_prompt
from threadmed.judgements.panel import PanelVerdict, panel

__all__ = [
    "Judge",
    "PanelVerdict",
    "control_prompt",
    "judge",
    "panel",
    "scoring_prompt",
]
