"""The report: a score per exercise and a result per check, as data and as JSON with a schema."""

from .model import (
    CheckResult,
    Diagnosis,
    ExerciseResult,
    PartResult,
    Repair,
    Repairs,
    Report,
    check_for_learner,
    for_learner,
    part_results,
    read_report,
    review_reasons,
    schema,
    to_json,
    waited_too_long,
    with_results,
    write_report,
)
