"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Machines are noisy: no deadline, and a slow draw is no failure.
settings.register_profile(
    "ci",
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("nightly", max_examples=20_000, deadline=None)
settings.load_profile("ci")
