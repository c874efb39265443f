"""Many learners: read their submissions, grade each, settle the table of the class, and show it.

In: downloads of any platform, a roster, deadlines and decisions. Out: reports, the summary, the class page, feedback.
It never loses a submission silently: each has a score, or a reason that a person can read.
"""
