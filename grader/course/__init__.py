"""All that is known before a file is run: the course, its programs, torch's answers, and the codes of findings.

In: `course.yaml`, the texts of programs and the answer book. Out: structs with checked fields.
It never runs learner code, and only the process of `oracle.compute` imports torch.
"""
