"""One learner at work: their folder, `grade watch`, hints, notebooks, pytest, the tab and the replay.

In: one learner's files, and what changes in them. Out: screens, pages and events.
It never gives points that count: for those, `verdict` grades the same files again.
"""
