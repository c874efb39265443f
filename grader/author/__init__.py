"""Make a course: write stubs and the answer book, verify the course, release it, and publish its page and CI files.

In: solutions, hidden tests and `course.yaml`. Out: files for learners, and findings about the course.
It never gives learners a solution, and never overwrites an exercise file that somebody has worked on.
"""
