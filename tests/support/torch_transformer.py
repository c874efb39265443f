"""The training of the replay's transformer, by torch."""

from collections.abc import Iterable, Sequence

from grader.practice.replay import transformer


def torchs_losses(steps: Iterable[Sequence[str]]) -> list[float]:
    """Return the losses of a training by torch, with Adam of torch.

    Args:
        steps: the names in the loss of each step.
    """
    import torch  # it takes seconds: only slow tests ask

    weights = {
        name: torch.tensor(rows, dtype=torch.float64, requires_grad=True) for name, rows in transformer._start().items()
    }
    adam = torch.optim.Adam(weights.values(), lr=transformer.RATE, betas=(0.9, 0.99))

    def normed(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (x.shape[-1],))

    def logits(tokens: list[int]) -> torch.Tensor:
        x = weights["letters"][tokens] + weights["positions"][: len(tokens)]
        queries, keys, values = (normed(x) @ weights[name] for name in ("queries", "keys", "values"))
        split = [one.reshape(len(tokens), 2, -1).transpose(0, 1) for one in (queries, keys, values)]
        seen = torch.nn.functional.scaled_dot_product_attention(*split, is_causal=True)
        x = x + seen.transpose(0, 1).reshape(len(tokens), -1) @ weights["last"]
        x = x + torch.relu(normed(x) @ weights["wide"]) @ weights["narrow"]
        return normed(x) @ weights["output"]

    losses = []
    for names in steps:
        tokens = [transformer._tokens(name) for name in names]
        every = torch.cat([logits(one) for one in tokens])
        targets = torch.tensor([token for one in tokens for token in (*one[1:], 0)])
        loss = torch.nn.functional.cross_entropy(every, targets)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses
