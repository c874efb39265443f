"""Text, files and YAML that others wrote, other processes, and the parts that all pages share.

In: bytes, text and paths that are not trusted. Out: checked values, or a `UserError` that names the place.
It never imports another package of the grader, and knows nothing of courses.
"""
