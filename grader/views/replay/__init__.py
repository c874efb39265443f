"""The page that replays a learner's own backward pass: one HTML file that needs no network."""

from .build import build_replay_page

__all__ = ["build_replay_page"]
