"""Record a replay: the steps of a learner's own code as it runs forward and backward on a program."""

from .model import Landscape, Played, Replay, SourceText, Thermometer
