"""What mypy has to know of the package: each line holds, but for those marked wrong."""

from typing import Optional

import numpy as np
import stiction
from stiction import analyze

world = stiction.World("arch")
report = world.step()
residual: float = report.residual
why: str = report.why
misspelt = report.residul  # wrong: attr-defined
word: int = report.why  # wrong: assignment

answer = stiction.lcp([[1.0]], [-1.0])
z: np.ndarray = answer.z
outcome: str = answer.outcome
zz = answer.zz  # wrong: attr-defined

sticking = analyze.sticking("arch")
margin: float = sticking.margin
verdict: str = sticking.answer.outcome
exists: Optional[bool] = sticking.least_common.exists
nothing = sticking.nothing  # wrong: attr-defined

bed = stiction.Bed("settle", workers=2)
balance: float = bed.step().balance
x: np.ndarray = bed.x
stiction.Bed("settle", workers="two")  # wrong: arg-type
