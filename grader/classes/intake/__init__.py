"""Intake: find the submissions in a folder and their submitters, and read the files in processes with limits."""

from .files import Intake
from .platforms import LAYOUTS, Entry, IntakeError, entries, readings, unclaimed
from .reader import LimitReached, Readers, unread
