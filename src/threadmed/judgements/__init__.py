"""What judges make of an answer; the door is `judge`."""

from threadmed.judgements.judge import Judge, judge, scoring_prompt
from threadmed.judgements.panel import PanelVerdict, panel

__all__ = ["Judge", "PanelVerdict", "judge", "panel", "scoring_prompt"]
