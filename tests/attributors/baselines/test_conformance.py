"""The kits for attributors and learners, on every rule that the plugin offers."""

from __future__ import annotations

from aegis_baselines import aegis_attributors, aegis_learners
from aegis_core.testing import AttributorConformance, LearnerConformance

KITS = {"attributor": AttributorConformance, "learner": LearnerConformance}
OFFERED = [("attributor", provider.name) for provider in aegis_attributors()]
OFFERED += [("learner", provider.name) for provider in aegis_learners()]

for kind, name in OFFERED:
    title = f"Test{kind.title()}{name.title().replace('-', '')}"
    globals()[title] = type(title, (KITS[kind],), {"name": name, "__module__": __name__})
