from collections.abc import Iterable

from grader.checks import EngineUnderCheck, check
from grader.program import number_text

MEAN = "L = (a * a + b * b + c * c + d * d) * 0.25"
ERRORS = {"a": 1, "b": -3, "c": 0.5, "d": 2}


def about_the_mean(errors: Iterable[float]) -> str:
    return f"mean_of_squares of {', '.join(map(number_text, errors))}"


@check("loss")
def test_the_mean_of_the_squares(engine: EngineUnderCheck) -> None:
    for errors in ([3], [1, -3], [1, -3, 0.5, 2]):
        errors = engine.numbers(*errors)
        total = sum(error * error for error in errors)
        mean = total / len(errors) if total % len(errors) else total // len(errors)
        engine.returns("loss_of", *errors, expected={"loss": mean}, about=about_the_mean(errors))


@check("loss_gradients")
def test_its_gradients_are_torchs(engine: EngineUnderCheck) -> None:
    errors = engine.leaves(MEAN, **ERRORS)
    grads = engine.truth(MEAN, **errors).grads[:4]
    expected = {f"dL/d{name}": grad for name, grad in zip(errors, grads, strict=True)}
    engine.returns("gradients_of", *errors.values(), expected=expected, about=about_the_mean(errors.values()))


@check("empty_tape")
def test_after_a_reset_the_tape_is_empty(engine: EngineUnderCheck) -> None:
    about = "L = a * b + a, backward(L), reset()"
    engine.returns("tape_after_reset", 2, -3, expected={"tape length": 0}, about=about)


@check("leaves")
def test_a_reset_clears_the_gradients_of_leaves(engine: EngineUnderCheck) -> None:
    about = "L = a * b + a, backward(L), reset()"
    engine.returns("leaves_after_reset", 2, -3, expected={"a.grad": 0, "b.grad": 0}, about=about)


@check("results")
def test_a_reset_clears_the_gradients_of_results(engine: EngineUnderCheck) -> None:
    about = "c = a * b, L = c + a, backward(L), reset()"
    engine.returns("results_after_reset", 2, -3, expected={"c.grad": 0, "L.grad": 0}, about=about)


@check("second_loss")
def test_a_second_loss_gets_its_own_gradients(engine: EngineUnderCheck) -> None:
    values = engine.leaves("L = (w * x) * y", w=3, x=2, y=5)
    grads = engine.truth("L = (w * x) * y", **values).grads
    expected = {"dL/dw": grads[0], "dL/dx": grads[1]}
    about = "K = w * x + w * w, backward(K), reset(), L = (w * x) * y, backward(L)"
    engine.returns("second_loss", *values.values(), expected=expected, about=about)
