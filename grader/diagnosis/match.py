"""Compare what an engine did with what each misconception does: exactly one alike is named, several or none are not."""

from collections.abc import Mapping, Sequence

from ..answer_book import KnownBehaviour


def diagnose(known: Sequence[KnownBehaviour], observed: Mapping[str, str]) -> KnownBehaviour | None:
    """The one misconception that behaves the same on every fixed batch that was run, or None.

    `observed` maps `check:n`, the n-th batch of a check, to its fingerprint. An engine that shows nothing has no
    diagnosis. A misconception may have run batches that this engine was not asked to run: there is nothing to compare.
    """
    if not observed:
        return None
    alike = [
        candidate for candidate in known if all(candidate.behaviour.get(batch) == f for batch, f in observed.items())
    ]
    return alike[0] if len(alike) == 1 else None
