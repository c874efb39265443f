"""A transformer that a learner's file trains, and what it makes afterwards."""

import math
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch_transformer import torchs_losses

from grader.course.load import Limits
from grader.practice.replay import transformer
from grader.practice.replay.model import Model
from grader.practice.replay.record import FileToReplay
from grader.practice.replay.transformer import is_transformer, names_of, own_names, trained_transformers
from grader.runner.client import Source
from grader.runner.sandbox import Warm

SOLUTIONS = Path(__file__).resolve().parents[3] / "solutions"
TEXT = (SOLUTIONS / "27_transformer.py").read_text(encoding="utf-8")
LIMITS = Limits(calls=200_000, cpu_s=1.0)
WORDS = ("ela", "anna", "mo", "leo", "zoe")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train for a few steps, of which each has two words."""
    monkeypatch.setattr(transformer, "STEPS", 5)
    monkeypatch.setattr(transformer, "TOGETHER", 2)


def models(warm: Warm, text: str = TEXT, parts: tuple[int, ...] = ()) -> list[Model]:
    file = FileToReplay("transformer", "27.py", Source(Path("27.py"), text))
    return list(trained_transformers(warm, LIMITS, file, WORDS, parts=parts))


@pytest.mark.slow
def test_each_step_learns_from_the_next_words(warm: Warm) -> None:
    """The losses are those of torch. After the last word, a step goes on with the first one."""
    (model,) = models(warm)
    assert ("", 2) == (model.trained.problem, model.together)
    steps = [WORDS[:2], WORDS[2:4], (WORDS[4], WORDS[0]), WORDS[1:3], WORDS[3:5]]
    assert torchs_losses(steps) == pytest.approx(model.trained.losses)


@pytest.mark.slow
def test_words_for_which_there_is_no_step_are_left_out(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the page names only words that the model has learnt from."""
    monkeypatch.setattr(transformer, "STEPS", 2)
    (model,) = models(warm)
    assert WORDS[:4] == model.names
    assert torchs_losses([WORDS[:2], WORDS[2:4]]) == pytest.approx(model.trained.losses)


@pytest.mark.slow
def test_the_trained_model_makes_names(warm: Warm) -> None:
    """Each beginning of the first words has probabilities. The names, by the file's own `sample`, repeat."""
    (model,) = models(warm)
    beginnings = {f".{name[:length]}" for name in WORDS[:4] for length in range(len(name) + 1)}
    assert beginnings == {row.context for row in model.rows}
    assert all(1.0 == pytest.approx(sum(row.probabilities)) for row in model.rows)
    assert transformer._DRAWN == len(model.drawn)
    assert re.fullmatch("[a-z]*", "".join(model.drawn))
    assert model.drawn == models(warm)[0].drawn


@pytest.mark.slow
def test_what_is_shown_earlier_is_the_same_training(warm: Warm) -> None:
    """Its losses are the first ones of the whole training."""
    first, whole = models(warm, parts=(2,))
    assert (2, 5) == (len(first.trained.losses), len(whole.trained.losses))
    assert first.trained.losses == pytest.approx(whole.trained.losses[:2])
    assert first.drawn != whole.drawn


@pytest.mark.slow
def test_the_attention_is_that_of_the_parameters(warm: Warm) -> None:
    """No letter sees a later one, and the weights of each row add up to 1."""
    (model,) = models(warm)
    assert model.attention is not None
    assert (".anna", 2) == (model.attention.letters, len(model.attention.heads))
    for rows in model.attention.heads:
        assert [5] * 5 == [len(row) for row in rows]
        for at, row in enumerate(rows):
            assert 1.0 == pytest.approx(sum(row))
            assert not any(row[at + 1 :])
    assert model.attention.heads[0] != model.attention.heads[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("    return [0, *(LETTERS", "    return x\n    return [0, *(LETTERS", "NameError"),
        ("import numpy as np\n", "import numpy as np\nraise ValueError\n", "ValueError"),
        ("losses.append(float(loss.data))", "losses.append(float('nan'))", ""),
    ],
)
def test_a_file_that_does_not_train_says_why(warm: Warm, old: str, new: str, problem: str) -> None:
    """The problem is a sentence, and nothing is trained again after it."""
    assert 1 == TEXT.count(old)
    found = models(warm, TEXT.replace(old, new), parts=(2,))
    assert problem in found[-1].trained.problem
    assert not problem or 1 == len(found)
    assert problem == "" or not found[-1].rows


@pytest.mark.slow
def test_numbers_that_are_too_large_have_no_attention(warm: Warm) -> None:
    """The parameters are finite, and their sums are not. What the file itself makes of them is shown."""
    text = TEXT
    for old, new in {
        "    return norm(x) @ output\n": "    return output[[0] * len(tokens)] * 0\n",
        "        adam.step()\n": "        for p in parameters:\n            p.data = np.full(p.data.shape, 1.7e308)\n",
    }.items():
        assert 1 == text.count(old)
        text = text.replace(old, new)
    (model,) = models(warm, text)
    assert ("", 5, 14) == (model.trained.problem, len(model.trained.losses), len(model.drawn))
    assert model.rows
    assert model.attention is None


@pytest.mark.slow
def test_what_sample_returns_is_no_name(warm: Warm) -> None:
    """A token that is none is a question mark, and without tokens there is nothing to show."""
    (odd,) = models(warm, TEXT.replace("    return tokens[1:]\n    # END", "    return [1, 27, 2.5]\n    # END"))
    assert {"a??"} == set(odd.drawn)
    (none,) = models(warm, TEXT.replace("    return tokens[1:]\n    # END", "    return x\n    # END"))
    assert () == none.drawn
    assert none.rows


def test_the_course_has_many_names() -> None:
    """They are different, and none is too long for the positions of the model."""
    names = own_names()
    assert len(names) >= 300
    assert len(names) == len(set(names))
    assert all(re.fullmatch("[a-z]{1,11}", name) for name in names)


@given(st.text())
def test_words_of_any_text(text: str) -> None:
    """Each is a word of the text in lower case, and comes once."""
    names = names_of(text)
    assert len(names) == len(set(names))
    assert all(re.fullmatch("[a-z]{1,11}", name) and name in text.lower() for name in names)


def test_words_of_a_text() -> None:
    """Words with digits and other letters, and long ones, are left out."""
    assert {"the", "fox", "runs"} == set(names_of("The fox runs, the_fox! müde extraordinary"))


def test_the_loss_of_pairs_is_the_smallest_of_a_bigram_model() -> None:
    """It is the mean over all predictions: a letter that is always the next one has no loss."""
    assert 0.0 == transformer._loss_of_pairs(["ab"])
    # after the dot come a and b; after a comes the dot; after b comes the dot
    assert math.log(2) / 2 == pytest.approx(transformer._loss_of_pairs(["a", "b"]))
    probabilities = Counter({"a.": 1, "ab": 1})
    assert probabilities.total() * math.log(2) / 5 == pytest.approx(transformer._loss_of_pairs(["a", "ab"]))


def test_which_files_have_a_transformer() -> None:
    """Exercise 17 has another model."""
    other = (SOLUTIONS / "17_names.py").read_text(encoding="utf-8")
    assert [True, False] == [is_transformer(TEXT), is_transformer(other)]
